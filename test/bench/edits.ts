import { setTimeout as pause } from 'node:timers/promises';
import { psetPath } from './objects.ts';
import type { Stage } from './stage.ts';

/** Edits of each side before any is counted. */
const WARM_UP = 30;
/** After an edit is over, until both sides have nothing to do. */
const REST_MS = 40;

/** One of several programs that all run, each with a namespace of its own. */
export interface Side {
  readonly namespace: string;
  readonly names: readonly string[];
  /** What else belongs to the edit of this object, the place of which is given as well. */
  readonly finish?: (name: string, index: number) => Promise<void>;
  /** From sending an edit of a spec to the arrival of its PUT, in ms: filled here. */
  readonly times: number[];
}

/** Edits of all sides by turns, each time beginning with another one. */
export async function timeEdits(
  stage: Stage,
  sides: readonly Side[],
  edits: number,
): Promise<void> {
  for (let edit = 0; edit < WARM_UP + edits; edit += 1) {
    const first = edit % sides.length;
    for (const { namespace, names, finish, times } of [
      ...sides.slice(first),
      ...sides.slice(0, first),
    ]) {
      const index = edit % names.length;
      const name = names[index] ?? '';
      const took = await editOne(stage, { namespace, name, value: 1000 + edit });
      if (edit >= WARM_UP) times.push(took);
      await finish?.(name, index);
      await pause(REST_MS);
    }
  }
}

async function editOne(
  stage: Stage,
  {
    namespace,
    name,
    value,
  }: { readonly namespace: string; readonly name: string; readonly value: number },
): Promise<number> {
  const arrival = stage.arrivals.next(`/${name}/`);
  const since = performance.now();
  await stage.ask('PATCH', psetPath(namespace, name), {
    spec: { settings: { streaming_max_insert_wait_ms: value } },
  });
  return (await arrival) - since;
}
