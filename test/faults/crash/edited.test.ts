import { describe, expect, test } from 'vitest';
import type { Call } from '../../simulator/types.ts';
import { endpoint, type Patch } from '../../support/organizations.ts';
import { ORGANIZATION } from '../../support/scene-objects.ts';
import { type Label, NAME } from './crash-calls.ts';
import { meanwhileAt, type Point, pointsOf } from './crash-points.ts';
import { type CrashScene, inVain, openCrashScene } from './crash-scene.ts';
import {
  ORGANIZATION_WORKLOADS,
  SETTINGS_WORKLOADS,
  type Workload,
  withdrawing,
} from './crash-workloads.ts';

/** Less than anything takes of which it is not known what it did. */
const AT_ONCE_MS = 30_000;

/** The object is edited once more while that call of the edit is under way, which goes on. */
async function expectAfterEdit(
  { plural, apiTimeoutMs, prepare, act }: Workload,
  point: Point,
  { edit, end }: { edit(scene: CrashScene): Promise<unknown>; end(scene: CrashScene): unknown },
): Promise<void> {
  const scene = await openCrashScene({ plural, apiTimeoutMs });
  try {
    scene.simulator.setOrganization(ORGANIZATION, { add: [{ ...endpoint('theirs') }] });
    await scene.start();
    await prepare(scene);
    const edited = meanwhileAt(scene.tap, point, async () => void (await edit(scene)));
    await act(scene);
    await Promise.race([
      edited,
      inVain('The operator has not made the call at which the object is to be edited'),
    ]);
    await end(scene);
  } finally {
    await scene.end();
  }
}

const places = (calls: readonly Label[]): Point[] =>
  pointsOf(calls, () => ['lost', 'done', 'replied']);

/** The calls that changed something, and whether the status tells of each by its request id. */
function expectTold(calls: readonly Call[], status: Readonly<Record<string, unknown>>): void {
  const history = (status['history'] ?? []) as readonly { readonly requestId: string }[];
  const told = history.map(({ requestId }) => requestId);
  expect(told, 'told by request id').toEqual(calls.map(({ requestId }) => requestId));
}

describe('R14: a PipeSettings, edited in the midst of the PUT of an edit', () => {
  const workload = SETTINGS_WORKLOADS['a change of its settings'];
  test.concurrent.each(places(workload.calls))(
    'has the last edit, and tells of every PUT: $label, $moment',
    (point) =>
      expectAfterEdit(workload, point, {
        edit: ({ psets }) => psets.create(NAME, { settings: { engine_max_threads: 32 } }),
        async end({ psets }) {
          const { status } = await psets.until(NAME, 'Applied', AT_ONCE_MS);
          const puts = psets.puts(NAME);
          expect(puts.at(-1)?.body).toEqual({ engine_max_threads: 32 });
          expect(puts.length).toBeLessThanOrEqual(3);
          expectTold(puts, status);
        },
      }),
  );
});

describe('R14: an Organization, whose edit is withdrawn in the midst of it', () => {
  const workload = ORGANIZATION_WORKLOADS['an edit that adds two endpoints and removes one'];
  test.concurrent.each(places(workload.calls))(
    'has the last edit at once: no change reads as lost: $label, $moment',
    (point) =>
      expectAfterEdit(workload, point, {
        edit: withdrawing,
        async end({ orgs, simulator }) {
          const { status } = await orgs.until(NAME, 'Applied', AT_ONCE_MS);
          expect(orgs.ids().toSorted()).toEqual(['b', 'e', 'theirs']);
          const ours = status.privateEndpoints?.map(({ id, origin }) => `${id} ${origin}`);
          expect(ours?.toSorted()).toEqual(['b Added', 'e Added']);
          for (const [key, { added, removed }] of Object.entries(
            simulator.endpointCounts(ORGANIZATION),
          ))
            expect([key, added <= 1 && removed <= 1]).toEqual([key, true]);
          const changes = orgs.calls().filter(({ body }) => isChange(body as Patch));
          expectTold(changes, status);
        },
      }),
  );
});

function isChange({ name, privateEndpoints: { add = [], remove = [] } = {} }: Patch): boolean {
  return name !== undefined || add.length + remove.length > 0;
}
