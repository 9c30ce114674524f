import { putSecret } from '../adversary/secrets.ts';
import { drop, edit, type Held, make } from '../adversary/users.ts';
import { Draw } from '../engine/draw.ts';
import { kindOf } from '../kubernetes/kinds.ts';
import { secretText, unusableSecret } from '../life/canaries.ts';
import type { Life } from '../life/life.ts';
import { activitySpec, organizationSpec, pipeSpec, type Spec } from '../life/specs.ts';
import { type Plural, REQUESTED_AT, specOf } from '../record/objects.ts';
import { A, B, OF_A } from './world.ts';

const SECOND = 1_000;
/** Of many at once. */
const MANY = [5, 15, 40];

/** Sets the times of what A does; each is drawn when its time has come, from what is there then. */
export function beginA(life: Life): void {
  const { world, timeline } = life;
  const draw = new Draw(`${world.seed}/${A}`);
  const count = draw.between(4, 12);
  for (let index = 1; index <= count; index += 1) {
    const id = `${A} ${index}`;
    const mine = draw.of(id);
    // Objects from the beginning are older than those of B.
    const at = index === 1 ? 0 : mine.between(0, world.restAt - 1);
    const run = (): void => {
      if (!life.may(id)) return;
      const text = act(life, mine);
      if (text !== undefined) life.tell({ what: 'act', id, text });
    };
    if (at === 0) run();
    else timeline.quietlyAt(at, run);
  }
}

function act(life: Life, draw: Draw): string | undefined {
  const kind = draw.weighted({
    claim: 35,
    retarget: 15,
    suspend: 8,
    delete: 8,
    secret: 14,
    flips: 6,
    bogus: 6,
    many: 4,
    asks: 5,
    comings: 5,
  });
  switch (kind) {
    case 'claim':
      return claim(life, draw, 'api');
    case 'retarget':
      return retarget(life, draw);
    case 'suspend':
      return withOne(life, draw, (held) => edit(life, held, idleness(draw, held)));
    case 'delete':
      return withOne(life, draw, (held) => drop(life, held));
    case 'secret':
      return `${A} ${writeSecret(life, draw, 'api')}`;
    case 'flips':
      return flips(life, draw);
    case 'bogus':
      return bogus(life, draw);
    case 'many':
      return many(life, draw);
    case 'asks':
      return asks(life, draw);
    case 'comings':
      return comings(life, draw);
  }
}

/** What A's own objects say: mostly they name what is B's. */
function drawSpec(life: Life, draw: Draw, secret: string): { plural: Plural; spec: Spec } {
  const { organizations, pipes, activities } = life.world;
  const plural = draw.weighted({ organizations: 50, pipesettings: 40, activities: 10 });
  const { id, pool } = draw.pick(organizations);
  switch (plural) {
    case 'organizations': {
      const spec = organizationSpec(draw, { organizationId: id, secret, pool, name: 'of A' });
      // Twice the same id: what a schema may let through.
      const twice = draw.chance(0.1) ? [pool[0], pool[0]] : undefined;
      return { plural, spec: { ...spec, ...(twice && { privateEndpoints: twice }) } };
    }
    case 'pipesettings': {
      const pipe = draw.chance(0.1)
        ? { organizationId: OF_A, pipeId: 'pipe-of-a' }
        : draw.pick(pipes);
      return { plural, spec: pipeSpec(draw, { ...pipe, secret }) };
    }
    case 'activities':
      return { plural, spec: activitySpec({ ...draw.pick(activities), secret }) };
  }
}

function idleness(draw: Draw, { thing }: Held): Spec {
  const { suspend, mode } = specOf(thing);
  return draw.chance(0.5)
    ? { suspend: suspend ? undefined : true }
    : { mode: mode === 'Plan' ? undefined : 'Plan' };
}

function claim(life: Life, draw: Draw, secret: string): string | undefined {
  const { plural, spec } = drawSpec(life, draw, draw.chance(0.15) ? 'not-there' : secret);
  const name = life.newName();
  const idle = draw.weighted({ no: 70, suspend: 15, plan: 15 });
  const how = { no: {}, suspend: { suspend: true }, plan: { mode: 'Plan' } }[idle];
  const whole = plural === 'activities' ? spec : { ...spec, ...how };
  return make(life, plural, A, name, whole) && `${A} creates ${plural} ${name} ${about(whole)}`;
}

function about(spec: Spec): string {
  const { organizationId, pipeId, activityId, suspend, mode, credentialsSecretRef } = specOf({
    spec,
  } as never);
  const idle = suspend ? ', suspended' : mode === 'Plan' ? ', planned only' : '';
  return `for ${pipeId ?? activityId ?? organizationId} with the Secret ${credentialsSecretRef?.name}${idle}`;
}

function withOne(
  life: Life,
  draw: Draw,
  perform: (held: Held) => string | undefined,
): string | undefined {
  const own = ownOf(life);
  return own.length === 0 ? undefined : perform(draw.pick(own));
}

function ownOf(life: Life): Held[] {
  return life
    .objects()
    .filter(({ thing }) => thing.metadata.namespace === A && !thing.metadata.deletionTimestamp);
}

/** Another target, another list, another Secret. */
function retarget(life: Life, draw: Draw): string | undefined {
  return withOne(life, draw, (held) => {
    const { plural, spec } = drawSpec(life, draw, draw.pick(['api', 'api', 'not-there']));
    const taking = { adoptPrivateEndpoints: true, deletionPolicy: 'RemovePrivateEndpoints' };
    if (plural === held.plural) return edit(life, held, spec);
    return held.plural === 'organizations' ? edit(life, held, taking) : undefined;
  });
}

function writeSecret(life: Life, draw: Draw, name: string): string {
  const [own, other] = [A, B].map(
    (tenant) => life.world.keys[life.world.namespaces.indexOf(tenant)],
  );
  const kind = draw.weighted({ right: 35, wrong: 25, stolen: 20, unusable: 10, gone: 10 });
  if (kind === 'gone') {
    if (life.stored('secrets', A, name)) life.kube.as('user').delete(kindOf('secrets'), A, name);
    return `deletes the Secret ${name}`;
  }
  const right = life.keys.get(own?.id ?? '')?.secret ?? '';
  const secret =
    kind === 'right' ? right : kind === 'unusable' ? unusableSecret(draw) : secretText(draw);
  const keyId = (kind === 'stolen' ? other?.id : own?.id) ?? '';
  putSecret(life, { namespace: A, name, keyId, secret, style: 'plain' });
  const what = {
    right: 'the right key',
    wrong: 'a wrong secret',
    stolen: 'the key id of B with a secret of its own',
    unusable: 'what no key can be',
  };
  return `writes ${what[kind]} into the Secret ${name}`;
}

function flips(life: Life, draw: Draw): string {
  return eachSecond(life, draw, (again) => {
    writeSecret(life, again, 'api');
    return 'writes another key into its Secret';
  });
}

function asks(life: Life, draw: Draw): string {
  return eachSecond(life, draw, (_, second) => {
    for (const { plural, thing } of ownOf(life)) {
      const { namespace, name } = thing.metadata;
      life.kube.as('user').edit(kindOf(plural), namespace, name, (now) => ({
        ...now,
        metadata: {
          ...now.metadata,
          annotations: { ...now.metadata.annotations, [REQUESTED_AT]: `try ${second}` },
        },
      }));
    }
    return 'asks for a try of all its objects';
  });
}

function eachSecond(
  life: Life,
  draw: Draw,
  perform: (draw: Draw, second: number) => string,
): string {
  const seconds = draw.pick([10, 60]);
  const from = life.timeline.now;
  for (let second = 1; second < seconds; second += 1) {
    life.after(second * SECOND, () => void perform(draw.of(`second ${second}`), from + second));
  }
  return `${A} ${perform(draw, from)}, and again each second for ${seconds} s`;
}

/** One object after another for the same thing: each is refused, and goes. */
function comings(life: Life, draw: Draw): string {
  const count = draw.pick(MANY);
  const { plural, spec } = drawSpec(life, draw, 'api');
  for (let index = 0; index < count; index += 1) {
    life.after(index * 5 * SECOND, () => {
      const name = life.newName();
      make(life, plural, A, name, spec);
      life.after(3 * SECOND, () => {
        const thing = life.stored(plural, A, name);
        if (thing) drop(life, { plural, thing });
      });
    });
  }
  return `${A} creates ${plural} ${about(spec)} and deletes them, ${count} one after another`;
}

/** Objects of which each has a key of its own that never worked. */
function bogus(life: Life, draw: Draw): string {
  const count = draw.pick(MANY);
  for (let index = 0; index < count; index += 1) {
    const mine = draw.of(`${index}`);
    const name = life.newName();
    writeSecret(life, mine, name);
    const { plural, spec } = drawSpec(life, mine, name);
    make(life, plural, A, name, spec);
  }
  return `${A} creates ${count} objects, each with a Secret of its own`;
}

function many(life: Life, draw: Draw): string {
  const count = draw.pick(MANY);
  for (let index = 0; index < count; index += 1) claim(life, draw.of(`${index}`), 'api');
  life.after(draw.pick([0, 1, 60]) * SECOND, () => {
    for (const held of ownOf(life)) drop(life, held);
  });
  return `${A} creates ${count} objects, and deletes all it has soon after`;
}
