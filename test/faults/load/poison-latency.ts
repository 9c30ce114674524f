import { randomUUID } from 'node:crypto';
import { Pool } from 'undici';
import { controlPlane } from '../../controlplane/client.ts';
import type { Stage } from '../stage.ts';

/** Edits objects of a stage one after another. */
export interface Editor {
  /**
   * Milliseconds from each edit to the arrival of its PUT; the stage's `api` is the editor's
   * meanwhile.
   */
  latencies(names: readonly string[]): Promise<number[]>;
  /** Asks for another attempt of the object at this path. */
  poke(path: string): Promise<void>;
  close(): Promise<void>;
}

export function editorOf(stage: Stage): Editor {
  const { server, caPem, certPem, keyPem } = controlPlane.admin;
  const pool = new Pool(server, {
    connections: 2,
    connect: { ca: caPem, cert: certPem, key: keyPem },
  });
  const collection = `/apis/pipewright.dev/v1alpha1/namespaces/${stage.namespace}/pipesettings`;
  const awaited = new Map<number, () => void>();
  let wait = 500;

  stage.api.handle({
    async take(passing) {
      const { streaming_max_insert_wait_ms: value } = (passing.body ?? {}) as {
        streaming_max_insert_wait_ms?: number;
      };
      if (value !== undefined) awaited.get(value)?.();
      await passing.forward();
      await passing.reply();
    },
  });

  async function patch(path: string, change: object): Promise<void> {
    const { statusCode, body } = await pool.request({
      method: 'PATCH',
      path,
      headers: { 'content-type': 'application/merge-patch+json' },
      body: JSON.stringify(change),
    });
    await body.dump();
    if (statusCode !== 200) throw new Error(`PATCH ${path}: HTTP ${statusCode}`);
  }

  /** Every edit sets a value of its own, by which its PUT is known. */
  async function latencyOf(name: string): Promise<number> {
    wait += 1;
    const arrived = new Promise<void>((resolve) => awaited.set(wait, resolve));
    const started = performance.now();
    await patch(`${collection}/${name}`, {
      spec: { settings: { streaming_max_insert_wait_ms: wait } },
    });
    await arrived;
    const latency = performance.now() - started;
    awaited.delete(wait);
    return latency;
  }

  return {
    async latencies(names) {
      const measured: number[] = [];
      for (const name of names) measured.push(await latencyOf(name));
      return measured;
    },
    poke: (path) =>
      patch(path, {
        metadata: { annotations: { 'pipewright.dev/reconcile-requested-at': randomUUID() } },
      }),
    close: () => pool.close(),
  };
}

export function p99(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.ceil(values.length * 0.99) - 1] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
