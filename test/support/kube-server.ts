import type { ServerResponse } from 'node:http';
import { Cluster } from '../../src/kube/cluster.ts';
import type { KubeObject } from '../../src/kube/resource.ts';

/** A cluster by its address. `ca`: PEM; absent: whoever answers is taken for it. */
export function clusterAt(server: string, ca?: string, token = 't'): Cluster {
  const cluster = new Cluster();
  const caData = ca && Buffer.from(ca).toString('base64');
  cluster.loadFromClusterAndUser(
    { name: 'c', server, skipTLSVerify: ca === undefined, ...(caData && { caData }) },
    { name: 'u', token },
  );
  return cluster;
}

export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response
    .writeHead(status, { 'content-type': 'application/json', ...headers })
    .end(JSON.stringify(body));
}

/** The body of a refusal, as the API server writes it. */
export function aStatus(code: number, reason: string, message = `${reason} it is`): object {
  return { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message };
}

/** A list as the API server writes it. */
export function aList(objects: readonly KubeObject[], resourceVersion: string, next = ''): object {
  return { kind: 'List', metadata: { resourceVersion, continue: next }, items: objects };
}

/** One line of a watch. */
export function aLine(type: string, object: unknown): string {
  return `${JSON.stringify({ type, object })}\n`;
}
