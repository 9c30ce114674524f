import { kindOf } from '../kubernetes/kinds.ts';
import { Refusal } from '../kubernetes/refusal.ts';
import { type Plural, REQUESTED_AT } from '../record/objects.ts';
import type { Life } from './life.ts';
import type { OtherChange } from './management-side.ts';
import type { Spec } from './specs.ts';
import type { ApiKey } from './world.ts';

/** An object, as a user calls it. */
export interface Named {
  readonly plural: Plural;
  readonly namespace: string;
  readonly name: string;
}

type Performed = string | undefined;

export function nameOf({ plural, namespace, name }: Named): string {
  return `${plural}/${namespace}/${name}`;
}

/** A user merges this into the spec; what is undefined goes. */
export function edit(life: Life, object: Named, change: Spec): Performed {
  return tried(() => {
    const { plural, namespace, name } = object;
    if (!life.stored(plural, namespace, name)) return undefined;
    life.kube.as('user').edit(kindOf(plural), namespace, name, (thing) => {
      const spec = Object.entries({ ...(thing.spec as Spec), ...change });
      return {
        ...thing,
        spec: Object.fromEntries(spec.filter(([, value]) => value !== undefined)),
      };
    });
    return `a user sets ${shown(change)} of ${nameOf(object)}`;
  });
}

export function askForTry(life: Life, object: Named, value: string): Performed {
  return tried(() => {
    const { plural, namespace, name } = object;
    if (!life.stored(plural, namespace, name)) return undefined;
    life.kube.as('user').edit(kindOf(plural), namespace, name, (thing) => ({
      ...thing,
      metadata: {
        ...thing.metadata,
        annotations: { ...thing.metadata.annotations, [REQUESTED_AT]: value },
      },
    }));
    return `a user asks to try ${nameOf(object)} now`;
  });
}

export function drop(life: Life, object: Named): Performed {
  const { plural, namespace, name } = object;
  const stored = life.stored(plural, namespace, name);
  if (!stored || stored.metadata.deletionTimestamp !== undefined) return undefined;
  life.kube.as('user').delete(kindOf(plural), namespace, name);
  return `a user deletes ${nameOf(object)}`;
}

export function make(life: Life, object: Named, spec: Spec): Performed {
  return tried(() => {
    life.create({ ...object, spec, atMs: 0 });
    return `a user creates ${nameOf(object)}`;
  });
}

export function changeAsSomebody(life: Life, id: string, change: OtherChange): Performed {
  const status = life.managementSide.changeAsSomebody(id, change);
  return `somebody else sends ${shown(change)} to ${id} (${status})`;
}

export function breakWatches(life: Life): Performed {
  life.kube.objects.compact();
  life.kube.watches.cut({ broken: true });
  return 'every watch breaks, and old versions are forgotten';
}

/** What a user writes into a Secret. */
export interface SecretDraft extends ApiKey {
  readonly name: string;
}

/** Writes a Secret, whether or not it is there. */
export function putSecret(life: Life, { namespace, name, id, secret }: SecretDraft): void {
  life.secrets.add(id).add(secret);
  const hand = life.kube.as('user');
  const content = { type: 'Opaque', data: { keyId: encoded(id), keySecret: encoded(secret) } };
  if (life.stored('secrets', namespace, name))
    hand.edit(kindOf('secrets'), namespace, name, (thing) => ({ ...thing, ...content }));
  else hand.create(kindOf('secrets'), namespace, { metadata: { name }, ...content });
}

export function dropSecret(life: Life, namespace: string, name: string): boolean {
  if (!life.stored('secrets', namespace, name)) return false;
  life.kube.as('user').delete(kindOf('secrets'), namespace, name);
  return true;
}

function encoded(text: string): string {
  return Buffer.from(text).toString('base64');
}

/** What the API server refuses was not done. */
function tried(run: () => Performed): Performed {
  try {
    return run();
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

function shown(change: object): string {
  return JSON.stringify(change, (_, value: unknown) =>
    value === undefined ? 'nothing' : value,
  ).replaceAll('"', '');
}
