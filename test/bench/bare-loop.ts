import { openPeer, type Pset, psetPath, READY } from './peer.ts';

// The least that can be done: a list, and for each object a PUT and a write of its status.
const { options, kube, put } = openPeer();
console.log(READY);
const list = await kube('GET', psetPath(options.namespace));
const { items } = (await list.body.json()) as { items: Pset[] };

async function deal({ metadata, spec }: Pset): Promise<void> {
  await put(spec);
  const { name, namespace, uid, resourceVersion } = metadata;
  const reply = await kube('PUT', `${psetPath(namespace, name)}/status`, {
    apiVersion: 'pipewright.dev/v1alpha1',
    kind: 'PipeSettings',
    metadata: { name, namespace, uid, resourceVersion },
    status: options.status,
  });
  const text = await reply.body.text();
  if (reply.statusCode !== 200)
    throw new Error(`status of ${name}: HTTP ${reply.statusCode}: ${text}`);
}

const left = items.values();
const worker = async (): Promise<void> => {
  for (const item of left) await deal(item);
};
await Promise.all(Array.from({ length: options.concurrency }, worker));
// It stays until SIGTERM, so that the memory which it took can be read.
setInterval(() => undefined, 2 ** 30);
