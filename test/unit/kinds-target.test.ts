import { describe, expect, test } from 'vitest';
import {
  type Ownership,
  ownershipOf,
  rivalConfirmedLater,
  Targets,
} from '../../src/kinds/shared/target.ts';
import type { KubeObject } from '../../src/kube/resource.ts';

interface Wanted {
  readonly name: string;
  readonly namespace?: string;
  /** Day of January. */
  readonly created?: number;
  readonly uid?: string;
  /** The API that has accepted its key. */
  readonly verified?: string;
  readonly spec?: { suspend?: boolean; mode?: string; invalid?: boolean };
  readonly deleting?: boolean;
  readonly confirmed?: string;
}

function object({ name, namespace = 'a', created = 5, verified, ...wanted }: Wanted): KubeObject {
  const creationTimestamp = `2026-01-0${created}T00:00:00Z`;
  return {
    metadata: {
      name,
      namespace,
      uid: wanted.uid ?? `uid-${name}`,
      resourceVersion: '1',
      creationTimestamp,
      ...(wanted.deleting && { deletionTimestamp: creationTimestamp }),
    },
    spec: wanted.spec ?? {},
    status: {
      ...(verified && { verified: { apiHash: verified } }),
      ...(wanted.confirmed && { applied: { time: wanted.confirmed } }),
    },
  };
}

const FACTS = {
  apiHash: 'here',
  isValid: ({ spec }: KubeObject) => (spec as Wanted['spec'])?.invalid !== true,
};
const owner: Ownership = { type: 'owner' };
const waits = (verified: boolean, name?: string): Ownership => ({
  type: 'waits',
  verified,
  owner: name === undefined ? undefined : { name },
});

describe('who owns a target', () => {
  test.for<[string, Wanted, readonly Wanted[], Ownership]>([
    ['one that is alone', { name: 'own' }, [], owner],
    [
      'the oldest verified one',
      { name: 'own', verified: 'here' },
      [{ name: 'x', created: 6, verified: 'here' }],
      owner,
    ],
    [
      'not a younger verified one',
      { name: 'own', created: 6, verified: 'here' },
      [{ name: 'x', verified: 'here' }],
      waits(true, 'x'),
    ],
    [
      'of two of the same second that with the lower uid',
      { name: 'own', uid: 'b', verified: 'here' },
      [{ name: 'x', uid: 'a', verified: 'here' }],
      waits(true, 'x'),
    ],
    [
      'a verified one before an older one that is not',
      { name: 'own', created: 1 },
      [{ name: 'x', verified: 'here' }],
      waits(true, 'x'),
    ],
    [
      'a verified one of another namespace, without its name',
      { name: 'own' },
      [{ name: 'x', namespace: 'b', verified: 'here' }],
      waits(true),
    ],
    [
      'not one that was verified at another API',
      { name: 'own', created: 6 },
      [{ name: 'x', verified: 'there', namespace: 'b' }],
      owner,
    ],
    [
      'not one whose spec is not valid',
      { name: 'own', created: 6 },
      [{ name: 'x', verified: 'here', spec: { invalid: true } }],
      owner,
    ],
    [
      'a verified one that is suspended',
      { name: 'own' },
      [{ name: 'x', verified: 'here', spec: { suspend: true } }],
      waits(true, 'x'),
    ],
    [
      'a verified one in Plan',
      { name: 'own' },
      [{ name: 'x', verified: 'here', spec: { mode: 'Plan' } }],
      waits(true, 'x'),
    ],
    [
      'a verified one that is being deleted',
      { name: 'own' },
      [{ name: 'x', verified: 'here', deleting: true }],
      waits(true, 'x'),
    ],
    [
      'where none is verified the oldest of its namespace may try',
      { name: 'own' },
      [{ name: 'x', created: 6 }],
      owner,
    ],
    [
      'where none is verified a younger one of the namespace waits',
      { name: 'own', created: 6 },
      [{ name: 'x' }],
      waits(false, 'x'),
    ],
    [
      'nobody waits for one of another namespace that is not verified',
      { name: 'own', created: 6 },
      [{ name: 'x', namespace: 'b', created: 1 }],
      owner,
    ],
    [
      'nobody waits for one that is suspended and not verified',
      { name: 'own', created: 6 },
      [{ name: 'x', spec: { suspend: true } }],
      owner,
    ],
    [
      'nobody waits for one in Plan that is not verified',
      { name: 'own', created: 6 },
      [{ name: 'x', spec: { mode: 'Plan' } }],
      owner,
    ],
    [
      'nobody waits for one that is being deleted and not verified',
      { name: 'own', created: 6 },
      [{ name: 'x', deleting: true }],
      owner,
    ],
    [
      'nobody waits for one whose spec is not valid',
      { name: 'own', created: 6 },
      [{ name: 'x', spec: { invalid: true } }],
      owner,
    ],
    [
      'one in Plan waits for nobody that is not verified',
      { name: 'own', created: 6, spec: { mode: 'Plan' } },
      [{ name: 'x' }],
      owner,
    ],
  ])('%s', ([, own, others, expected]) => {
    expect(ownershipOf(object(own), others.map(object), FACTS)).toEqual(expected);
  });

  test('is the same for every observer: one owner, whoever asks, where one is verified', () => {
    const all = [1, 2, 3].map((created) =>
      object({
        name: `o${created}`,
        created,
        namespace: `n${created}`,
        ...(created > 1 && { verified: 'here' }),
      }),
    );
    const owners = all.filter(
      (own) =>
        ownershipOf(
          own,
          all.filter((other) => other !== own),
          FACTS,
        ).type === 'owner',
    );
    expect(owners.map(({ metadata }) => metadata.name)).toEqual(['o2']);
  });
});

describe('a rival was confirmed later', () => {
  const noon = '2026-01-01T12:00:00Z';
  test.for<[string, string | undefined, readonly (string | undefined)[], boolean]>([
    ['than the owner', noon, ['2026-01-01T12:00:01Z'], true],
    ['than the owner, as one of several', noon, [undefined, '2026-01-01T13:00:00Z'], true],
    ['not where it was before', noon, ['2026-01-01T11:59:59Z'], false],
    ['not in the same second, or both would send for ever', noon, [noon], false],
    ['not where it never was', noon, [undefined], false],
    ['not than one that was never confirmed', undefined, [noon], false],
  ])('%s', ([, own, others, expected]) => {
    const confirmed = (time?: string) => object({ name: 'x', ...(time && { confirmed: time }) });
    expect(rivalConfirmedLater(confirmed(own), others.map(confirmed))).toBe(expected);
  });
});

describe('a target', () => {
  const setUp = () => {
    const enqueued: string[] = [];
    return { enqueued, targets: new Targets((id) => enqueued.push(id)) };
  };

  test('lets in one at a time, and all that were refused are reconciled once when it is left', () => {
    const { targets, enqueued } = setUp();
    expect(['a', 'b', 'b', 'c'].map((id) => targets.enter('pipe', id))).toEqual([
      true,
      false,
      false,
      false,
    ]);
    expect(enqueued).toEqual([]);
    targets.leave('pipe');
    expect(enqueued).toEqual(['b', 'c']);
    expect(targets.enter('pipe', 'c')).toBe(true);
  });

  test('is nobody’s concern but its own', () => {
    const { targets } = setUp();
    expect([targets.enter('one', 'a'), targets.enter('two', 'b')]).toEqual([true, true]);
  });
});
