import { createInterface } from 'node:readline';
import { openPeer, type Pset, psetPath, READY } from './peer.ts';

// The least that can be done: a watch, and a PUT as soon as an event shows another generation.
const { options, kube, put } = openPeer();
const path = psetPath(options.namespace);
const list = await kube('GET', path);
const { metadata, items } = (await list.body.json()) as {
  metadata: { resourceVersion: string };
  items: Pset[];
};
const generations = new Map(items.map((item) => [item.metadata.name, item.metadata.generation]));
const watch = await kube('GET', `${path}?watch=true&resourceVersion=${metadata.resourceVersion}`);
console.log(READY);
for await (const line of createInterface({ input: watch.body })) {
  const { object } = JSON.parse(line) as { object: Pset };
  const { name, generation } = object.metadata;
  if (generations.get(name) === generation) continue;
  generations.set(name, generation);
  void put(object.spec);
}
