import { apiPath, type Pset, psetPath } from './objects.ts';
import { inParallel } from './parallel.ts';
import { openPeer } from './peer.ts';

// The least that can be done: a list, and for each object a PUT and a write of its status.
const { options, kube, put } = openPeer();
const list = await kube('GET', psetPath(options.namespace));
const { items } = (await list.body.json()) as { items: Pset[] };
await inParallel(items, options.concurrency ?? 1, async ({ apiVersion, kind, metadata, spec }) => {
  await put(apiPath(spec), spec.settings);
  const { name, namespace, uid, resourceVersion } = metadata;
  const body = {
    apiVersion,
    kind,
    metadata: { name, namespace, uid, resourceVersion },
    status: options.status,
  };
  const reply = await kube('PUT', `${psetPath(namespace, name)}/status`, body);
  const text = await reply.body.text();
  if (reply.statusCode !== 200)
    throw new Error(`status of ${name}: HTTP ${reply.statusCode}: ${text}`);
  JSON.parse(text);
});
// It stays until SIGTERM, so that the processor time which it took can be read.
setInterval(() => undefined, 2 ** 30);
