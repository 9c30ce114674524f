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

/**
 * The object is edited once more while that call of the edit is under way, which goes on; gives what
 * is seen when the last edit is Applied.
 */
async function editedAt<Seen>(
  { plural, apiTimeoutMs, prepare, act }: Workload,
  point: Point,
  {
    edit,
    see,
  }: { edit(scene: CrashScene): Promise<unknown>; see(scene: CrashScene): Promise<Seen> },
): Promise<Seen> {
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
    return await see(scene);
  } finally {
    await scene.end();
  }
}

const places = (calls: readonly Label[]): Point[] =>
  pointsOf(calls, () => ['lost', 'done', 'replied']);

/** The request ids that the status tells of, and those of these calls. */
function idsIn(calls: readonly Call[], status: Readonly<Record<string, unknown>>) {
  const history = (status['history'] ?? []) as readonly { readonly requestId: string }[];
  const told = history.map(({ requestId }) => requestId);
  return { told, made: calls.map(({ requestId }) => requestId) };
}

describe('R14: a PipeSettings, edited in the midst of the PUT of an edit', () => {
  const workload = SETTINGS_WORKLOADS['a change of its settings'];
  test.concurrent.each(places(workload.calls))(
    'has the last edit, and tells of every PUT: $label, $moment',
    async (point) => {
      const { puts, told, made } = await editedAt(workload, point, {
        edit: ({ psets }) => psets.create(NAME, { settings: { engine_max_threads: 32 } }),
        async see({ psets }) {
          const { status } = await psets.until(NAME, 'Applied', AT_ONCE_MS);
          const puts = psets.puts(NAME);
          return { puts, ...idsIn(puts, status) };
        },
      });
      expect(puts.at(-1)?.body).toEqual({ engine_max_threads: 32 });
      expect(puts.length).toBeLessThanOrEqual(3);
      expect(told).toEqual(made);
    },
  );
});

describe('R14: an Organization, whose edit is withdrawn in the midst of it', () => {
  const workload = ORGANIZATION_WORKLOADS['an edit that adds two endpoints and removes one'];
  test.concurrent.each(places(workload.calls))(
    'has the last edit at once: no change reads as lost: $label, $moment',
    async (point) => {
      const { ids, ours, counts, told, made } = await editedAt(workload, point, {
        edit: withdrawing,
        async see({ orgs, simulator }) {
          const { status } = await orgs.until(NAME, 'Applied', AT_ONCE_MS);
          return {
            ids: orgs.ids().toSorted(),
            ours: status.privateEndpoints?.map(({ id, origin }) => `${id} ${origin}`).toSorted(),
            counts: Object.values(simulator.endpointCounts(ORGANIZATION)),
            ...idsIn(orgs.calls().filter(isChange), status),
          };
        },
      });
      expect(ids).toEqual(['b', 'e', 'theirs']);
      expect(ours).toEqual(['b Added', 'e Added']);
      for (const { added, removed } of counts) expect([added, removed]).not.toContain(2);
      expect(told).toEqual(made);
    },
  );
});

function isChange({ body }: Call): boolean {
  const { name, privateEndpoints: { add = [], remove = [] } = {} } = body as Patch;
  return name !== undefined || add.length + remove.length > 0;
}
