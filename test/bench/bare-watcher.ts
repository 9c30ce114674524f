import { apiPath, type Pset, psetPath } from './objects.ts';
import { openPeer } from './peer.ts';
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
let rest = '';
for await (const chunk of watch.body) {
  const lines = (rest + (chunk as Buffer).toString('utf8')).split('\n');
  rest = lines.pop() ?? '';
  for (const line of lines) {
    const { object } = JSON.parse(line) as { object: Pset };
    const { name, generation } = object.metadata;
    if (generations.get(name) === generation) continue;
    generations.set(name, generation);
    void put(apiPath(object.spec), object.spec.settings);
  }
}
