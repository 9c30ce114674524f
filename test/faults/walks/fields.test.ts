import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { InnerOperator } from '../../support/inner-operator.ts';
import { openScene, type Scene } from '../../support/scene.ts';
import { KINDS, type KindName, type Maker, makersOf } from '../../support/states.ts';
import { type Effect, repeats } from './fields-effects.ts';
import { specLeaves } from './fields-leaves.ts';
import { EFFECTS, GAINED } from './fields-table.ts';

let scene: Scene;
let operator: InnerOperator;
let makers: Readonly<Record<KindName, Maker>>;
beforeAll(async () => {
  scene = await openScene({
    start: false,
    simulator: { activity: { anyActivity: true }, settings: { gained: [GAINED] } },
  });
  operator = await scene.startInner();
  makers = makersOf(scene);
});
afterAll(async () => {
  await scene.end();
});

const FIELDS = KINDS.flatMap((kind) =>
  Object.entries(EFFECTS[kind]).map(([path, effect]) => ({ kind, path, effect })),
);
const isTimed = ({ effect }: { readonly effect: Effect }): boolean => effect === repeats;

function show({ kind, path, effect }: (typeof FIELDS)[number]): Promise<void> {
  const name = `${kind}-${path}`.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  return effect({ make: makers[kind], operator, name });
}

describe('R9: every field of every spec does something', () => {
  test('and every field of every CRD is among those that follow', async () => {
    const leaves = await specLeaves();
    expect(FIELDS.map(({ kind, path }) => `${kind}: ${path}`).toSorted()).toEqual(
      leaves.map(({ kind, path }) => `${kind}: ${path}`).toSorted(),
    );
  });

  describe.concurrent('at once', () => {
    test.each(FIELDS.filter((field) => !isTimed(field)))('$kind: $path', (field) =>
      expect(show(field)).resolves.toBeUndefined(),
    );
  });

  // These turn the clock that all objects go by.
  describe('in time', () => {
    test.each(FIELDS.filter(isTimed))('$kind: $path', (field) =>
      expect(show(field)).resolves.toBeUndefined(),
    );
  });
});
