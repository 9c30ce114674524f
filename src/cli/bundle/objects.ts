import { definitions } from '../../kinds/definitions.ts';
import type { Definition } from '../../kinds/schema/definition.ts';
import { apiVersionOf } from '../../kube/resource.ts';
import type { Kubectl } from '../cluster/kubectl.ts';
import { type Found, listObjects, type Scope } from '../cluster/objects.ts';
import { type EventObject, keptEvent, listEvents } from './events.ts';
import { keptOf } from './kept.ts';
import type { Missing } from './missing.ts';
import { type Part, pathOf } from './part.ts';

export interface ObjectParts {
  readonly found: readonly Found[];
  readonly parts: readonly Part[];
  /** Of how many kinds the objects could be listed. */
  readonly kinds: number;
}

/** The objects of the three kinds, each in a file of its own, and their events. */
export async function objectParts(
  kubectl: Kubectl,
  scope: Scope,
  missing: Missing,
): Promise<ObjectParts> {
  const where = scope.namespace === undefined ? 'all namespaces' : `namespace ${scope.namespace}`;
  const lists = await Promise.all(
    definitions.map((definition) =>
      missing.unless(`the objects of kind ${definition.type.kind} in ${where}`, () =>
        listObjects(kubectl, scope, [definition]),
      ),
    ),
  );
  const found = lists.flatMap((list) => list ?? []);
  const events = await Promise.all(
    definitions.map((definition, at) =>
      eventsOf(kubectl, definition, lists[at] ?? [], scope, missing),
    ),
  );
  const all = events.flat();
  return {
    found,
    kinds: lists.filter((list) => list !== undefined).length,
    parts: [
      ...found.map(partOf),
      ...(all.length === 0 ? [] : [{ path: 'objects/events.yaml', content: all.map(keptEvent) }]),
    ],
  };
}

function partOf({ definition: { type }, object }: Found): Part {
  const { namespace, name } = object.metadata;
  return {
    path: pathOf(['objects', namespace, type.plural], name, '.yaml'),
    content: keptOf(object, { apiVersion: apiVersionOf(type), kind: type.kind }),
  };
}

async function eventsOf(
  kubectl: Kubectl,
  { type }: Definition,
  found: readonly Found[],
  { namespace }: Scope,
  missing: Missing,
): Promise<readonly EventObject[]> {
  if (found.length === 0) return [];
  const about = new Set(found.map(({ object }) => object.metadata.uid));
  const events = await missing.unless(`the events of kind ${type.kind}`, () =>
    listEvents(kubectl, namespace, type.kind),
  );
  return (events ?? []).filter(({ involvedObject }) => about.has(involvedObject.uid ?? ''));
}
