import { expect, test } from 'vitest';
import { kindSchema } from '../../crds/manifest.ts';
import { definitions } from '../../src/kinds/definitions.ts';
import { definition as organization } from '../../src/kinds/organization/definition.ts';
import { LIMITS } from '../../src/kinds/organization/endpoints.ts';
import type { OrganizationStatus, PendingChange } from '../../src/kinds/organization/resource.ts';
import { largest } from '../support/largest.ts';

const KIB = 1024;
/** What etcd takes for one object. */
const OBJECT = 1536 * KIB;
/** All annotations of an object together; client-side apply repeats the spec in one. */
const ANNOTATIONS = 256 * KIB;
const NOTHING: PendingChange = { time: '', add: [], remove: [] };

for (const definition of definitions) {
  const { status } = kindSchema(definition);

  test(`the largest status that ${definition.type.kind} allows passes its own schema`, () => {
    expect(definition.status.safeParse(largest(status)).error).toBeUndefined();
  });

  // 100 ids of 512 characters, which inventory and pending change repeat uncut, are more than that:
  // the laws of Organization are below.
  if (definition === organization) continue;

  test(`the largest status that ${definition.type.kind} allows is under 288 KiB of JSON`, () => {
    expect(size(largest(status))).toBeLessThan(288 * KIB);
  });
}

test('what an Organization never cuts leaves 256 KiB of the object to what it does, whatever characters users and the API choose', () => {
  const { spec, status } = kindSchema(organization);
  const uncut = size(own(largest(status) as OrganizationStatus));
  expect(uncut).toBeLessThan(424 * KIB);
  expect(uncut + size(largest(spec)) + ANNOTATIONS + 256 * KIB).toBeLessThan(OBJECT);
});

test('the largest status of an Organization in plain characters is under 1 MiB, and fits beside the largest spec', () => {
  const { spec, status } = kindSchema(organization);
  const plain = size(largest(status, 'a'));
  expect(plain).toBeLessThan(1024 * KIB);
  expect(plain + size(largest(spec)) + ANNOTATIONS).toBeLessThan(OBJECT);
});

/**
 * Without what is only shown, which is cut or left out where it does not fit. Only plain characters
 * get into an inventory: `isStorable` sees to that.
 */
function own(status: OrganizationStatus) {
  const {
    organization: _o,
    differences: _d,
    notReported: _n,
    drift: _f,
    plan: _p,
    history: _h,
    ...kept
  } = status;
  const plain = {
    id: 'a'.repeat(LIMITS.id),
    cloudProvider: 'a'.repeat(LIMITS.cloudProvider),
    region: 'a'.repeat(LIMITS.region),
  };
  const { privateEndpoints = [], pendingChange: { time, add, remove } = NOTHING } = kept;
  const inventory = privateEndpoints.map(({ origin, state, since, attempts, nextAttemptTime }) => ({
    ...plain,
    origin,
    state,
    since,
    attempts,
    nextAttemptTime,
  }));
  const pendingChange = { time, add: add.map(() => plain), remove: remove.map(() => plain) };
  return { ...kept, privateEndpoints: inventory, pendingChange };
}

function size(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
