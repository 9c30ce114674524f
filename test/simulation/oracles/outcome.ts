import type { Life } from '../life/life.ts';
import { endpointsOf } from '../record/facts.ts';
import {
  endpointKey,
  type InventoryView,
  keyOf,
  specOf,
  statusOf,
  targetOfSpec,
} from '../record/objects.ts';

/** What a life has come to, without what differs between two tellings that are equal. */
export interface Outcome {
  /** By organization and pipe: what the API has. */
  readonly api: Readonly<Record<string, string>>;
  /** By object: its spec, its conditions without ids, times and numbers of tries, its inventory. */
  readonly objects: Readonly<Record<string, string>>;
  /** By object: what of it follows from what users and the API did, at whatever moment. */
  readonly ends: Readonly<Record<string, string>>;
  /** `PUT …` by pipe, `change …` by organization, and how often which endpoint came and went. */
  readonly counts: Readonly<Record<string, number>>;
}

/** An endpoint not seen to be there: whether it is sent again before a life ends depends on when. */
export const WAITS = 'waits';

/** Listens to a life from its beginning; what it returns reads the outcome at its end. */
export function observeOutcome(life: Life): () => Outcome {
  const counts: Record<string, number> = {};
  const count = (key: string): void => void (counts[key] = (counts[key] ?? 0) + 1);
  life.chronicle.listen((fact) => {
    if (fact.what === 'leaves') {
      const { method, target, body } = fact.call;
      const { add, remove } = endpointsOf(body);
      if (method === 'PUT') count(`PUT ${target}`);
      else if (body.name !== undefined || add.length + remove.length > 0) count(`change ${target}`);
    }
    if (fact.what !== 'done') return;
    const { added = [], removed = [] } = fact.call.executions.at(-1)?.moves ?? {};
    for (const one of added) count(`${fact.call.target} +${endpointKey(one)}`);
    for (const one of removed) count(`${fact.call.target} -${endpointKey(one)}`);
  });
  return () => ({ api: stateOfApi(life), objects: objectsOf(life), ends: endsOf(life), counts });
}

export function stateOfApi(life: Life): Record<string, string> {
  const state: Record<string, string> = {};
  for (const { id } of life.world.organizations) {
    const { name, privateEndpoints = [] } = life.api.organizations.of(id) ?? {};
    const list = privateEndpoints.map(endpointKey).sort().join(', ');
    state[`list of ${id}`] = `[${list}]`;
    state[`name of ${id}`] = String(name);
  }
  for (const { organizationId, pipeId } of life.world.pipes) {
    const pipe = `${organizationId}/service/${pipeId}`;
    const settings = Object.entries(life.api.settings.of(pipe) ?? {})
      .map(String)
      .sort();
    state[`pipe ${pipe}`] = JSON.stringify(settings);
  }
  return state;
}

function objectsOf(life: Life): Record<string, string> {
  return Object.fromEntries(
    life.objects().map(({ plural, thing }) => {
      const { conditions = [], privateEndpoints = [], pendingChange } = statusOf(thing);
      const { finalizers, deletionTimestamp } = thing.metadata;
      const said = conditions.map(
        ({ type, status, reason, message }) => `${type} ${status} ${reason}: ${masked(message)}`,
      );
      const inventory = inventoryOf(privateEndpoints);
      const parts = [
        ...said,
        JSON.stringify(thing.spec),
        `inventory [${inventory.join(', ')}]`,
        ...(pendingChange ? ['a pending change'] : []),
        ...(finalizers ?? []),
        ...(deletionTimestamp === undefined ? [] : ['being deleted']),
      ];
      return [keyOf(plural, thing), parts.join('\n')] as const;
    }),
  );
}

/** Of what stands alone for its target; what a suspended one is depends on when it was suspended. */
function endsOf(life: Life): Record<string, string> {
  const { objects } = life.world;
  return Object.fromEntries(
    life.objects().flatMap(({ plural, thing }) => {
      const { organizationId = '', suspend, mode } = specOf(thing);
      const isRenamed = thing.metadata.name.endsWith('-renamed');
      const target = targetOfSpec(plural, specOf(thing));
      const [draft, rival] = objects.filter((one) => targetOfSpec(one.plural, one.spec) === target);
      if (!draft || rival || isRenamed || suspend || mode === 'Plan') return [];
      const { conditions = [], privateEndpoints = [] } = statusOf(thing);
      const said = conditions.map(({ type, status, reason }) => `${type} ${status} ${reason}`);
      // Whose they are depends on when it was remade, or when a list that lags showed them.
      const isRemade = Date.parse(thing.metadata.creationTimestamp) - life.wall > draft.atMs;
      const isUnsure = isRemade || life.lags(organizationId);
      const all = privateEndpoints.map((one) => (isUnsure ? { ...one, origin: '' } : one));
      const isLong = all.some(({ state }) => state === 'Unconfirmed');
      const end = isLong ? WAITS : [...said, ...inventoryOf(all)].join(', ');
      return [[keyOf(plural, thing), end] as const];
    }),
  );
}

function inventoryOf(entries: readonly InventoryView[]): string[] {
  return entries.map((one) => `${endpointKey(one)} ${one.origin} ${one.state}`).sort();
}

/** Request ids, times and numbers of tries differ. */
function masked(message: string): string {
  return message
    .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '<id>')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .replace(/\b\d+\b/g, '<n>');
}
