import { setTimeout as pause } from 'node:timers/promises';
import { waitFor } from '../../controlplane/client.ts';
import { endpoint } from '../../support/organizations.ts';
import { ORGANIZATION } from '../../support/scene-objects.ts';
import { NAME } from './crash-calls.ts';
import { killAt, meanwhileAt, type Point } from './crash-points.ts';
import { type CrashScene, type CrashSceneOptions, inVain, openCrashScene } from './crash-scene.ts';
import type { Taken } from './crash-tap.ts';

/** Long enough for a call that should not come. */
const QUIET_MS = 200;

/** An object that is deleted while the operator is at one of the calls of its creation. */
export interface Deletion extends Pick<CrashSceneOptions, 'plural' | 'apiTimeoutMs'> {
  readonly point: Point;
  /** The operator dies at that point, and the deletion comes while nobody is there. */
  readonly killed?: boolean;
  create(scene: CrashScene): Promise<unknown>;
  /** What else happens; absent: the object is deleted, and that is all. */
  happen?(scene: CrashScene): Promise<unknown>;
  /** Asked again and again until the object is gone. */
  meanwhile?(scene: CrashScene): Promise<unknown>;
  /** false: nobody can create anything any more by which to see that the operator is at rest. */
  readonly lives?: boolean;
}

export interface Deleted {
  readonly calls: readonly Taken[];
  /** How many of them were made before the deletion. */
  readonly before: number;
  /** The ids that the API lists. */
  readonly ids: readonly string[];
  /** How often each endpoint of ours really went in and out. */
  readonly moved: readonly { readonly added: number; readonly removed: number }[];
  readonly events: readonly { readonly reason: string; readonly note: string }[];
  /** What the operator said. */
  readonly log: readonly string[];
}

/** Deletes the object at that point and waits until it is gone and all is quiet. */
export async function deleteAt(deletion: Deletion): Promise<Deleted> {
  const scene = await openCrashScene(deletion);
  const { tap, simulator, orgs } = scene;
  try {
    simulator.setOrganization(ORGANIZATION, { add: [{ ...endpoint('theirs') }] });
    await scene.start();
    const before = await goThrough(scene, deletion);
    const look = async (): Promise<unknown> => {
      await deletion.meanwhile?.(scene);
      return scene.passWait();
    };
    const isGone = (object: unknown): boolean => object === undefined;
    await waitFor(look, { what: 'the object to be gone', until: isGone, timeoutMs: 60_000 });
    await tap.settled();
    const operator = await scene.operator();
    // What it says of an object comes after the object's end: either way it has said all.
    if (deletion.lives === false) await operator.stop();
    else await scene.caughtUp();
    await pause(QUIET_MS);
    return {
      calls: tap.taken,
      before,
      ids: orgs.ids(),
      moved: Object.values(simulator.endpointCounts(ORGANIZATION, { keyId: scene.key.id })),
      events: await scene.events(NAME),
      log: operator.lines.map((line) => JSON.stringify(line)),
    };
  } finally {
    await scene.end();
  }
}

/** Gives the number of calls before the deletion. */
async function goThrough(
  scene: CrashScene,
  { killed, point, create, happen = () => scene.deleteIt() }: Deletion,
): Promise<number> {
  const { tap } = scene;
  if (killed) {
    await scene.crash(killAt(tap, point), () => create(scene));
    const before = tap.taken.length;
    await happen(scene);
    await scene.start();
    return before;
  }
  let before = 0;
  const happened = meanwhileAt(tap, point, async () => {
    before = tap.taken.length;
    await happen(scene);
  });
  await create(scene);
  await Promise.race([
    happened,
    inVain('The operator has not made the call at which the object is to be deleted'),
  ]);
  return before;
}
