import type { Draw } from '../engine/draw.ts';
import {
  askForTry,
  drop,
  dropSecret,
  edit,
  make,
  type Named,
  nameOf,
  putSecret,
} from '../life/acts.ts';
import { secretText } from '../life/canaries.ts';
import type { Life } from '../life/life.ts';
import { type Spec, someEndpoints, someSettings } from '../life/specs.ts';
import type { ApiKey, ObjectDraft } from '../life/world.ts';

/** What somebody does when its time has come. */
export type Deed = (life: Life) => string | undefined;

const SECOND = 1_000;
const REMOVE = 'RemovePrivateEndpoints';
const ODDS = { edit: 50, try: 8, suspend: 9, plan: 6, resume: 9, delete: 8, remake: 5, rename: 5 };

/** What a user does to an object of his; all of it drawn beforehand. */
export function drawUserDeed(draw: Draw, object: ObjectDraft): Deed {
  switch (draw.weighted(ODDS)) {
    case 'edit': {
      const change = drawChange(draw, object);
      return (life) => edit(life, object, change);
    }
    case 'try':
      return (life) => askForTry(life, object, `try at ${life.timeline.now}`);
    case 'suspend':
      return (life) => edit(life, object, { suspend: true });
    case 'plan':
      return (life) =>
        object.plural === 'activities' ? undefined : edit(life, object, { mode: 'Plan' });
    case 'resume':
      return (life) => edit(life, object, { mode: undefined, suspend: undefined });
    case 'delete':
      return (life) => drop(life, object);
    case 'remake':
      return (life) => {
        const done = drop(life, object);
        if (done !== undefined) makeWhenGone(life, object, object.spec);
        return done && `${done}, and makes it again as soon as it is gone`;
      };
    case 'rename': {
      const renamed = { ...object, name: `${object.name}-renamed` };
      const laterMs = draw.pick([0, 1_000, 30_000]);
      return (life) => {
        const spec = life.stored(object.plural, object.namespace, object.name)?.spec as Spec;
        if (spec === undefined || make(life, renamed, spec) === undefined) return undefined;
        life.after(laterMs, () => void drop(life, object));
        return `a user renames ${nameOf(object)}, ${laterMs} ms between the new and the old`;
      };
    }
  }
}

function makeWhenGone(life: Life, object: Named, spec: Spec): void {
  life.after(2 * SECOND, () => {
    if (life.stored(object.plural, object.namespace, object.name)) makeWhenGone(life, object, spec);
    else make(life, object, spec);
  });
}

function drawChange(draw: Draw, { plural, name }: ObjectDraft): Spec {
  if (plural === 'activities') return { suspend: undefined };
  if (plural === 'pipesettings') return { settings: someSettings(draw) };
  switch (draw.weighted({ list: 50, none: 8, name: 15, both: 10, policy: 8, adopt: 8, cap: 4 })) {
    case 'list':
      return { privateEndpoints: someEndpoints(draw) };
    case 'none':
      return { privateEndpoints: [] };
    case 'name':
      return { name: `${name} ${draw.between(2, 9)}` };
    case 'both':
      return { name: `${name} ${draw.between(2, 9)}`, privateEndpoints: someEndpoints(draw) };
    case 'policy':
      return { deletionPolicy: draw.chance(0.7) ? REMOVE : undefined };
    case 'adopt':
      return { adoptPrivateEndpoints: draw.chance(0.6) ? true : undefined };
    case 'cap':
      return { maxPrivateEndpointRemovals: draw.between(0, 3) };
  }
}

/** What becomes of a key; after a while it is as it should be. */
export function drawSecretDeed(draw: Draw, { namespace, id, secret }: ApiKey): Deed {
  const backMs = draw.pick([3, 40, 180]) * SECOND;
  const next = secretText(draw);
  const options = draw.pick([{ disabled: true }, { readOnly: true }, { organizations: [] }]);
  const rightIn = (life: Life): string => life.rotated.get(id) ?? secret;
  const write = (life: Life, text: string): void =>
    putSecret(life, { namespace, name: 'api', id, secret: text });
  const mends = (text: string, begin: (life: Life) => void): Deed => {
    return (life) => {
      begin(life);
      life.after(backMs, () => {
        write(life, rightIn(life));
        life.api.keys.set(id, rightIn(life));
      });
      return `${text} ${namespace}/api, for ${backMs / SECOND} s`;
    };
  };
  return draw.pick([
    mends('a user writes a wrong key into', (life) => write(life, next)),
    mends('a user deletes', (life) => dropSecret(life, namespace, 'api')),
    mends('the API takes no more what is in', (life) =>
      life.api.keys.set(id, rightIn(life), options),
    ),
    mends('the key is rotated, but not in', (life) => {
      life.rotated.set(id, next);
      life.api.keys.set(id, next);
    }),
  ]);
}
