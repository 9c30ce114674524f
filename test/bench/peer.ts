import { Pool } from 'undici';

/** A PipeSettings as this folder's programs read it. */
export interface Pset {
  readonly metadata: Readonly<Record<'name' | 'namespace' | 'uid' | 'resourceVersion', string>> & {
    readonly generation: number;
  };
  readonly spec: Readonly<Record<'organizationId' | 'serviceId' | 'pipeId', string>> & {
    readonly settings: object;
  };
  readonly status?: {
    readonly observedGeneration: number;
    readonly conditions: readonly { readonly type: string; readonly status: string }[];
  };
}

/** What a peer finds in PEER_OPTIONS, the one in Go too. */
export interface PeerOptions
  extends Readonly<
    Record<'server' | 'ca' | 'token' | 'apiUrl' | 'authorization' | 'namespace', string>
  > {
  readonly concurrency: number;
  /** An example of one to write. */
  readonly status: object;
}

export const READY = 'peer ready';

export function psetPath(namespace: string, name?: string): string {
  const collection = `/apis/pipewright.dev/v1alpha1/namespaces/${namespace}/pipesettings`;
  return name === undefined ? collection : `${collection}/${name}`;
}

/** Connections as the operator has them, with HTTP/1.1. */
export function openPeer() {
  const options = JSON.parse(process.env.PEER_OPTIONS ?? '{}') as PeerOptions;
  const { server, ca, token, apiUrl, authorization } = options;
  const kube = new Pool(server, { connect: { ca }, headersTimeout: 0, bodyTimeout: 0 });
  const api = new Pool(apiUrl);
  const json = { accept: 'application/json', 'content-type': 'application/json' };
  return {
    options,
    kube: (method: 'GET' | 'PUT', path: string, body?: unknown) =>
      kube.request({
        method,
        path,
        headers: { authorization: `Bearer ${token}`, ...json },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    async put({ organizationId, serviceId, pipeId, settings }: Pset['spec']): Promise<void> {
      const path = `/v1/organizations/${organizationId}/services/${serviceId}/pipes/${pipeId}/settings`;
      const headers = { authorization, ...json };
      const body = JSON.stringify(settings);
      const reply = await api.request({ method: 'PUT', path, headers, body });
      if (reply.statusCode !== 200) throw new Error(`PUT ${path}: HTTP ${reply.statusCode}`);
      await reply.body.json();
    },
  };
}
