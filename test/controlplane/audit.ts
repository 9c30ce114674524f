import { readFile } from 'node:fs/promises';

/** One finished request to the API server, as its audit log has it. */
export interface AuditEntry {
  readonly user: string;
  readonly userAgent: string;
  readonly verb: string;
  /** Plural; empty for a path that is no resource. */
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly code: number;
  readonly requestURI: string;
  /** When the request came in and when its answer was complete, epoch milliseconds. */
  readonly received: number;
  readonly completed: number;
}

/** Every request but the server's own and the probes, once, when it is answered; a watch when it ends. */
export const auditPolicy = JSON.stringify({
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived', 'ResponseStarted', 'Panic'],
  rules: [
    { level: 'None', users: ['system:apiserver'] },
    { level: 'None', nonResourceURLs: ['/*'] },
    { level: 'Metadata' },
  ],
});

/** Flags for kube-apiserver that make it write the log. */
export function auditFlags({ policyFile, logFile }: { readonly policyFile: string; readonly logFile: string }) {
  return {
    'audit-policy-file': policyFile,
    'audit-log-path': logFile,
    // Rotation would take entries away from under the readers.
    'audit-log-maxsize': '4096',
  };
}

/** Everything logged so far. An entry stands here a moment after its request was answered: see `completeAudit`. */
export async function readAudit(logFile: string): Promise<AuditEntry[]> {
  const text = await readFile(logFile, 'utf8');
  const lines = text.slice(0, text.lastIndexOf('\n') + 1).split('\n');
  return lines.filter((line) => line !== '').map(parseEntry);
}

/**
 * Everything logged of the requests answered before this call. `mark` sends a request with the name that it is given
 * (as the name of a namespace); when that one is in the log, so are those before it.
 */
export async function completeAudit(logFile: string, mark: (name: string) => Promise<unknown>): Promise<AuditEntry[]> {
  const name = `audit-mark-${crypto.randomUUID()}`;
  await mark(name);
  const deadline = performance.now() + 5_000;
  for (;;) {
    const entries = await readAudit(logFile);
    const marked = entries.findIndex((entry) => entry.name === name);
    if (marked >= 0) return entries.filter((entry) => !entry.name.startsWith('audit-mark-'));
    if (performance.now() > deadline)
      throw new Error(`The API server has not logged the request for namespace ${name} within 5 s in ${logFile}`);
  }
}

interface RawEntry {
  readonly user: { readonly username: string };
  readonly userAgent?: string;
  readonly verb: string;
  readonly objectRef?: {
    readonly resource?: string;
    readonly subresource?: string;
    readonly namespace?: string;
    readonly name?: string;
  };
  readonly responseStatus?: { readonly code?: number };
  readonly requestURI: string;
  readonly requestReceivedTimestamp: string;
  readonly stageTimestamp: string;
}

function parseEntry(line: string): AuditEntry {
  const raw = JSON.parse(line) as RawEntry;
  return {
    user: raw.user.username,
    userAgent: raw.userAgent ?? '',
    verb: raw.verb,
    resource: raw.objectRef?.resource ?? '',
    subresource: raw.objectRef?.subresource ?? '',
    namespace: raw.objectRef?.namespace ?? '',
    name: raw.objectRef?.name ?? '',
    code: raw.responseStatus?.code ?? 0,
    requestURI: raw.requestURI,
    received: Date.parse(raw.requestReceivedTimestamp),
    completed: Date.parse(raw.stageTimestamp),
  };
}
