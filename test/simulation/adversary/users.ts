import type { Draw } from '../engine/draw.ts';
import { kindOf } from '../kubernetes/kinds.ts';
import type { Thing } from '../kubernetes/objects.ts';
import { Refusal } from '../kubernetes/refusal.ts';
import type { Life } from '../life/life.ts';
import { type Endpoint, someEndpoints, someSettings } from '../life/specs.ts';
import { drawObject } from '../life/world.ts';
import {
  type Plural,
  REQUESTED_AT,
  type SpecView,
  specOf,
  targetOfSpec,
} from '../record/objects.ts';
import type { Act, Focus } from './act.ts';

/** An object that a user has before him. */
export interface Held {
  readonly plural: Plural;
  readonly thing: Thing;
}

/**
 * What users do to their objects, each in a namespace of his own; what the server refuses is as if
 * it had not been tried.
 */
export const userActs: readonly Act[] = [
  {
    name: 'edit',
    means: 'edits',
    weight: 10,
    perform: (life, draw, focus) => {
      const held = anObject(life, draw, focus);
      if (!held) return undefined;
      if (held.plural === 'activities') return edit(life, held, editReference(held.thing));
      const change =
        held.plural === 'organizations'
          ? editOrganization(life, draw, held.thing)
          : editPipe(draw, held.thing);
      return edit(life, held, change);
    },
  },
  {
    name: 'ask for a try',
    means: 'edits',
    weight: 2,
    perform: (life, draw, focus) => {
      const held = anObject(life, draw, focus);
      if (!held) return undefined;
      const value = `try ${draw.between(1, 1_000_000)}`;
      return put(life, held, 'asks to try now', (thing) => ({
        ...thing,
        metadata: {
          ...thing.metadata,
          annotations: { ...thing.metadata.annotations, [REQUESTED_AT]: value },
        },
      }));
    },
  },
  {
    name: 'suspend',
    means: 'suspends',
    weight: 4,
    perform: (life, draw, focus) => {
      const held = anObject(life, draw, focus);
      if (!held) return undefined;
      const { suspend, mode } = specOf(held.thing);
      if (held.plural !== 'activities' && draw.chance(0.3)) {
        return edit(life, held, { mode: mode === 'Plan' ? undefined : 'Plan' });
      }
      return edit(life, held, { suspend: suspend ? undefined : true });
    },
  },
  {
    name: 'delete',
    means: 'deletes',
    weight: 3,
    perform: (life, draw, focus) => {
      const held = anObject(life, draw, focus);
      return held && drop(life, held);
    },
  },
  {
    name: 'make anew',
    means: 'deletes',
    weight: 2,
    perform: (life, draw, focus) => {
      const held = anObject(life, draw, focus);
      if (!held) return undefined;
      const { namespace, name } = held.thing.metadata;
      const gone = drop(life, held);
      if (gone === undefined || life.kube.objects.get(kindOf(held.plural), namespace, name))
        return gone;
      make(life, held.plural, namespace, name, held.thing.spec);
      return `${gone}, and creates it again under the same name, without its status`;
    },
  },
  {
    name: 'rename',
    means: 'renames',
    weight: 3,
    perform: (life, draw, focus) => {
      const held = anObject(life, draw, focus);
      if (!held) return undefined;
      const namespace = draw.chance(0.3)
        ? draw.pick(life.world.namespaces)
        : held.thing.metadata.namespace;
      const name = life.newName();
      const made = make(life, held.plural, namespace, name, held.thing.spec);
      if (made === undefined) return undefined;
      const laterMs = draw.pick([0, 5, 1_000, 30_000]);
      life.after(laterMs, () => void drop(life, held));
      return `a user renames ${nameOf(held)} to ${namespace}/${name}: creates the one, deletes the other ${laterMs} ms later`;
    },
  },
  {
    name: 'newcomer',
    means: 'newcomers',
    weight: 3,
    perform: (life, draw) => {
      const name = life.newName();
      const { plural, namespace, spec } = drawObject(draw, life.world, { id: name, name, atMs: 0 });
      const made = make(life, plural, namespace, name, spec);
      return (
        made && `a user creates ${plural} ${namespace}/${name} for ${targetOfSpec(plural, spec)}`
      );
    },
  },
  {
    name: 'refer elsewhere',
    means: 'spare secrets',
    weight: 8,
    perform: (life, draw, focus) => {
      const held = anObject(life, draw, focus);
      return held && edit(life, held, editReference(held.thing));
    },
  },
  {
    name: 'swap',
    means: 'edits',
    weight: 1,
    perform: (life, draw) => {
      const all = life
        .objects()
        .filter(({ plural, thing }) => plural === 'organizations' && !isGoing(thing));
      const [one, other] = draw.some(all, 2);
      if (!one || !other) return undefined;
      const lists = [specOf(one.thing).privateEndpoints, specOf(other.thing).privateEndpoints];
      edit(life, one, { privateEndpoints: lists[1] });
      edit(life, other, { privateEndpoints: lists[0] });
      return `users swap the lists of ${nameOf(one)} and ${nameOf(other)}`;
    },
  },
];

function anObject(life: Life, draw: Draw, { target }: Focus): Held | undefined {
  const all = life.objects().filter(({ thing }) => !isGoing(thing));
  const near = all.filter(({ plural, thing }) => target === targetOfSpec(plural, specOf(thing)));
  const from = near.length > 0 && draw.chance(0.9) ? near : all;
  return from.length === 0 ? undefined : draw.pick(from);
}

function isGoing({ metadata }: Thing): boolean {
  return metadata.deletionTimestamp !== undefined;
}

type SpecChange = Readonly<Record<string, unknown>>;

export function editOrganization(life: Life, draw: Draw, thing: Thing): SpecChange {
  const spec = specOf(thing);
  const pool = life.world.organizations.find(({ id }) => id === spec.organizationId)?.pool ?? [];
  const listed = spec.privateEndpoints ?? [];
  switch (
    draw.weighted({
      less: 25,
      more: 25,
      all: 10,
      none: 8,
      name: 12,
      both: 8,
      policy: 6,
      adopt: 6,
      cap: 4,
      interval: 3,
    })
  ) {
    case 'less':
      return {
        privateEndpoints: draw.some(listed, Math.max(0, listed.length - draw.between(1, 2))),
      };
    case 'more': {
      const more = draw.some(
        pool.filter(({ id }) => !listed.some((one) => one.id.toLowerCase() === id)),
        draw.between(1, 2),
      );
      return { privateEndpoints: [...listed, ...more] };
    }
    case 'all':
      return { privateEndpoints: someEndpoints(draw, pool) };
    case 'none':
      return draw.chance(0.5) && spec.name !== undefined
        ? { privateEndpoints: undefined }
        : { privateEndpoints: [] };
    case 'name':
      return { name: newName(draw, spec) };
    case 'both':
      return { name: newName(draw, spec), privateEndpoints: someEndpoints(draw, pool) };
    case 'policy':
      return {
        deletionPolicy: spec.deletionPolicy === undefined ? 'RemovePrivateEndpoints' : undefined,
      };
    case 'adopt':
      return { adoptPrivateEndpoints: spec.adoptPrivateEndpoints ? undefined : true };
    case 'cap':
      return { maxPrivateEndpointRemovals: draw.between(0, 3) };
    case 'interval':
      return { reassertInterval: spec.reassertInterval === undefined ? '10m' : undefined };
  }
}

/** Another Secret, which may not be there, and back again. */
function editReference(thing: Thing): SpecChange {
  return {
    credentialsSecretRef: {
      name: specOf(thing).credentialsSecretRef?.name === 'api' ? 'spare' : 'api',
    },
  };
}

function newName(draw: Draw, { name, privateEndpoints }: SpecView): string | undefined {
  if (name !== undefined && privateEndpoints !== undefined && draw.chance(0.2)) return undefined;
  return `Name ${draw.between(1, 999)}`;
}

export function editPipe(draw: Draw, thing: Thing): SpecChange {
  const { settings = {}, reassertInterval } = specOf(thing);
  if (draw.chance(0.1))
    return { reassertInterval: reassertInterval === undefined ? '10m' : undefined };
  const next = draw.chance(0.3) ? someSettings(draw) : { ...settings, ...someSettings(draw) };
  return { settings: next };
}

export function edit(life: Life, held: Held, change: SpecChange): string | undefined {
  const said = Object.entries(change).map(([field, value]) => `${field} ${shown(value)}`);
  return put(life, held, `sets ${said.join(', ')}`, (thing) => {
    const spec = Object.fromEntries(
      Object.entries({ ...(thing.spec as object), ...change }).filter(
        ([, value]) => value !== undefined,
      ),
    );
    return { ...thing, spec };
  });
}

function put(
  life: Life,
  held: Held,
  what: string,
  change: (thing: Thing) => Thing,
): string | undefined {
  const { namespace, name } = held.thing.metadata;
  return tried(() => {
    life.kube.as('user').edit(kindOf(held.plural), namespace, name, change);
    return `a user of ${nameOf(held)} ${what}`;
  });
}

export function drop(life: Life, held: Held): string | undefined {
  const { namespace, name, uid } = held.thing.metadata;
  const kind = kindOf(held.plural);
  if (life.kube.objects.get(kind, namespace, name)?.metadata.uid !== uid) return undefined;
  return tried(() => {
    life.kube.as('user').delete(kind, namespace, name);
    return `a user deletes ${nameOf(held)}`;
  });
}

export function make(
  life: Life,
  plural: Plural,
  namespace: string,
  name: string,
  spec: unknown,
): string | undefined {
  return tried(() => {
    life.kube.as('user').create(kindOf(plural), namespace, { metadata: { name }, spec });
    return name;
  });
}

/** What the server refuses was not done. */
function tried(run: () => string): string | undefined {
  try {
    return run();
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

function nameOf({ plural, thing }: Held): string {
  return `${plural} ${thing.metadata.namespace}/${thing.metadata.name}`;
}

function shown(value: unknown): string {
  if (value === undefined) return 'to nothing';
  if (!Array.isArray(value)) return `to ${JSON.stringify(value)}`;
  return `to [${(value as Endpoint[]).map(({ id, region }) => `${id} ${region}`).join(', ')}]`;
}
