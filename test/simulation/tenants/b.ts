import { putSecret } from '../adversary/secrets.ts';
import { drop, edit, editOrganization, editPipe, type Held, make } from '../adversary/users.ts';
import { Draw } from '../engine/draw.ts';
import { secretText } from '../life/canaries.ts';
import type { Life } from '../life/life.ts';
import { specOf } from '../record/objects.ts';
import { asked, B } from './world.ts';

const MINUTE = 60_000;
/** So far apart that each is over before the next, however slowly. */
const LEAST_APART_MS = 4 * MINUTE;

/** Sets the times at which B does something. What he does follows from his own objects alone. */
export function beginB(life: Life): void {
  const draw = new Draw(`${life.world.seed}/${B}`);
  let at = draw.between(6, 9) * MINUTE;
  for (let index = 1; at < life.world.restAt - LEAST_APART_MS; index += 1) {
    const id = `${B} ${index}`;
    life.timeline.quietlyAt(at, () => {
      if (!life.may(id)) return;
      const text = act(life, draw.of(id));
      if (text !== undefined) life.tell({ what: 'act', id, text });
    });
    at += LEAST_APART_MS + draw.between(0, 5 * MINUTE);
  }
}

function act(life: Life, draw: Draw): string | undefined {
  const held = life
    .objects()
    .filter(({ thing }) => thing.metadata.namespace === B && !thing.metadata.deletionTimestamp);
  if (held.length === 0) return undefined;
  const one = draw.pick(held);
  switch (draw.weighted({ edit: 55, suspend: 12, anew: 8, delete: 8, key: 9, restart: 8 })) {
    case 'edit':
      return change(life, draw, one);
    case 'suspend':
      return edit(life, one, { suspend: specOf(one.thing).suspend ? undefined : true });
    case 'anew':
      return anew(life, one);
    case 'delete':
      return drop(life, one);
    case 'key':
      return rotate(life, draw);
    case 'restart':
      return life.fleet.terminate(draw, {});
  }
}

function change(life: Life, draw: Draw, held: Held): string | undefined {
  if (held.plural === 'activities') return undefined;
  const changed =
    held.plural === 'organizations'
      ? editOrganization(life, draw, held.thing)
      : editPipe(draw, held.thing);
  const left = asked(changed);
  return Object.keys(left).length === 0 ? undefined : edit(life, held, left);
}

function anew(life: Life, held: Held): string | undefined {
  const { namespace, name } = held.thing.metadata;
  const gone = drop(life, held);
  if (gone === undefined || life.stored(held.plural, namespace, name)) return gone;
  make(life, held.plural, namespace, name, held.thing.spec);
  return `${gone}, and creates it again under the same name`;
}

function rotate(life: Life, draw: Draw): string {
  const key = life.world.keys[life.world.namespaces.indexOf(B)];
  if (!key) throw new Error(`${B} has no key`);
  const secret = secretText(draw);
  life.setKey(key.id, secret, key.options);
  putSecret(life, { namespace: B, name: 'api', keyId: key.id, secret, style: 'plain' });
  return `the key of ${B} gets another secret, and so does the Secret`;
}
