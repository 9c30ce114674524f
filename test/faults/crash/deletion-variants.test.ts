import { describe, expect, test } from 'vitest';
import { asAdmin } from '../../support/cluster.ts';
import { ORGANIZATION } from '../../support/scene-objects.ts';
import { NAME } from './crash-calls.ts';
import { pointsOf } from './crash-points.ts';
import type { CrashScene, Present } from './crash-scene.ts';
import { firstContact, ORGANIZATION_WORKLOADS } from './crash-workloads.ts';
import { type Deletion, deleteAt } from './deletion-runs.ts';

const { calls, apiTimeoutMs, plural } =
  ORGANIZATION_WORKLOADS['first contact with two endpoints and a finalizer'];
const points = pointsOf(calls, () => ['done']);
const MINUTE = 60_000;
/** More than --cleanup-deadline, which nobody sets here. */
const OVER_MS = 11 * MINUTE;
/** Longer than that takes on a busy machine. */
const FAR_MS = 3_000;
/** Ours, as in an event and as in the log. */
const TELLS = /\ba \(.+\bb \(/;

type Step = (scene: CrashScene) => Promise<unknown>;

const answers =
  (status: number): Step =>
  async ({ simulator, key }) =>
    simulator.always({ status }, { pathIncludes: ORGANIZATION, keyId: key.id });

/** Why ours cannot be taken out, from the moment of the deletion on and for ever. */
const OBSTACLES: Readonly<Record<string, Step>> = {
  'the API answers 404': answers(404),
  'the API answers 403': answers(403),
  'the API answers 500': answers(500),
  'the key is not accepted': async ({ simulator, key }) => simulator.setKey(key.id, undefined),
  'the Secret is gone': (scene) => scene.removeSecret('management-api'),
  'the namespace goes, its Secret first': async (scene) => {
    await asAdmin('DELETE', `/api/v1/namespaces/${scene.namespace}`);
    await scene.removeSecret('management-api');
  },
};

/**
 * An object that is deleted right after the obstacle has come up; `held` once its clean-up has
 * failed.
 */
function obstructed(
  obstruct: Step,
  held: Step,
): Pick<Deletion, 'plural' | 'apiTimeoutMs' | 'create' | 'happen' | 'meanwhile'> {
  let isHeld = false;
  return {
    plural,
    apiTimeoutMs,
    create: firstContact('RemovePrivateEndpoints'),
    async happen(scene) {
      await obstruct(scene);
      await scene.deleteIt();
    },
    async meanwhile(scene) {
      if (isHeld || !hasFailed(await scene.present(), scene.now())) return;
      isHeld = true;
      await held(scene);
    },
  };
}

/**
 * Whether the status speaks of the deletion, which is a generation of its own, and of an attempt to
 * come that does not come by itself while the test lets time pass.
 */
function hasFailed(object: Present | undefined, now: number): boolean {
  const { observedGeneration, nextAttemptTime } = object?.status ?? {};
  const isFar = Date.parse(String(nextAttemptTime)) - now > FAR_MS;
  return observedGeneration === object?.metadata.generation && isFar;
}

describe.each(Object.entries(OBSTACLES))(
  'R12: deleted during first contact, and from then on %s',
  (title, obstruct) => {
    test.concurrent.each(points)(
      'is cleaned up, or goes at --cleanup-deadline with a word of what it leaves: $label',
      async (point) => {
        let isOver = false;
        const lives = !title.includes('namespace');
        const { ids, moved, events, log } = await deleteAt({
          ...obstructed(obstruct, async (scene) => {
            isOver = true;
            await scene.passTime(OVER_MS);
            await scene.orgs.request(NAME);
          }),
          point,
          lives,
        });
        for (const { added } of moved) expect(added).toBeLessThanOrEqual(1);
        const told = lives
          ? events.filter(({ reason }) => reason === 'CleanupAbandoned').map(({ note }) => note)
          : log.filter((line) => line.includes('left at the API'));
        const times = isOver ? 1 : 0;
        expect(told, 'told where it went so, and only there').toHaveLength(times);
        expect(
          told.filter((text) => TELLS.test(text)),
          'told of what',
        ).toHaveLength(times);
        expect(isOver || ids.length === 1, 'nothing of ours is left without a word').toBe(true);
      },
    );
  },
);
