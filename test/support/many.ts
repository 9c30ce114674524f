import { Pool } from 'undici';
import { controlPlane } from '../controlplane/client.ts';
import type { Scene } from './scene.ts';
import { ORGANIZATION, SERVICE } from './scene-objects.ts';

const AT_ONCE = 16;

/**
 * Creates `many-0`, `many-1` and so on, each for a pipe of its name and all on one Secret, over a
 * few connections.
 */
export async function createMany(scene: Scene, count: number): Promise<void> {
  const { server, caPem, certPem, keyPem } = controlPlane.admin;
  const pool = new Pool(server, {
    connections: AT_ONCE,
    connect: { ca: caPem, cert: certPem, key: keyPem },
  });
  const path = `/apis/pipewright.dev/v1alpha1/namespaces/${scene.namespace}/pipesettings`;
  const numbers = Array.from({ length: count }, (_, number) => number).values();
  const work = async (): Promise<void> => {
    for (const number of numbers) {
      const name = `many-${number}`;
      const body = JSON.stringify({
        apiVersion: 'pipewright.dev/v1alpha1',
        kind: 'PipeSettings',
        metadata: { name },
        spec: {
          organizationId: ORGANIZATION,
          serviceId: SERVICE,
          pipeId: name,
          credentialsSecretRef: { name: 'management-api' },
          settings: { engine_max_threads: 8 },
        },
      });
      const reply = await pool.request({
        method: 'POST',
        path,
        body,
        headers: { 'content-type': 'application/json' },
      });
      const text = await reply.body.text();
      if (reply.statusCode !== 201)
        throw new Error(`POST ${name}: HTTP ${reply.statusCode}: ${text}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  await pool.close();
}
