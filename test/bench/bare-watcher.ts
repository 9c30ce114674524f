import { apiPath, type Pset, psetPath } from './objects.ts';
import { openPeer, readEvents } from './peer.ts';
import { READY } from './processes.ts';

// The least that can be done: a watch, and a PUT as soon as an event shows another generation.
const { options, kube, put } = openPeer();
const list = await kube('GET', psetPath(options.namespace));
const { metadata, items } = (await list.body.json()) as {
  metadata: { resourceVersion: string };
  items: Pset[];
};
const generations = new Map(items.map((item) => [item.metadata.name, item.metadata.generation]));
const watch = await kube(
  'GET',
  `${psetPath(options.namespace)}?watch=true&resourceVersion=${metadata.resourceVersion}`,
);
console.log(READY);
await readEvents(watch.body, ({ metadata: { name, generation }, spec }) => {
  if (generations.get(name) === generation) return;
  generations.set(name, generation);
  void put(apiPath(spec), spec.settings);
});
