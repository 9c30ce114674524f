import { describe, expect, test } from 'vitest';
import { planCleanup } from '../../src/kinds/organization/deletion.ts';
import type {
  InventoryEntry,
  Organization,
  OrganizationSpec,
  OrganizationStatus,
} from '../../src/kinds/organization/resource.ts';
import { API_HASH, MINUTE, SECOND, T0 } from '../support/objects.ts';
import { appliedStatus, at, e, entry, specOf } from '../support/organization-entries.ts';

const DEADLINE = T0 + 10 * MINUTE;

interface Given {
  readonly inventory?: InventoryEntry[];
  readonly status?: OrganizationStatus;
  readonly spec?: Partial<OrganizationSpec>;
  /** In place of the whole spec. */
  readonly rawSpec?: unknown;
  readonly others?: readonly Organization[];
  readonly hasFailed?: boolean;
  /** Ms after T0, at which it was deleted. */
  readonly now?: number;
}

function planned(given: Given) {
  const { inventory = [entry('a')], status, spec, others = [], hasFailed = false, now = 0 } = given;
  const removes = { deletionPolicy: 'RemovePrivateEndpoints', ...spec } as const;
  const object: Organization = {
    metadata: metadata('gone', { deletionTimestamp: at(0) }),
    spec: 'rawSpec' in given ? given.rawSpec : specOf(['a'], removes),
    status: { ...appliedStatus(inventory), ...status },
  };
  const isOver = hasFailed && T0 + now >= DEADLINE;
  return planCleanup(object, others, { apiHash: API_HASH, isOver });
}

function metadata(name: string, more: Partial<Organization['metadata']> = {}) {
  const creationTimestamp = '2026-03-01T11:00:00Z';
  return { name, namespace: 'ingest', uid: name, resourceVersion: '1', creationTimestamp, ...more };
}

/** Another object of the same organization, younger unless told otherwise. */
function another(
  ids: readonly string[],
  more: Partial<Organization['metadata']> = {},
  status: OrganizationStatus = {},
): Organization {
  const creationTimestamp = '2026-03-01T11:30:00Z';
  return { metadata: metadata('other', { creationTimestamp, ...more }), spec: specOf(ids), status };
}

/** `attempt`, or `let-go: may be left a`. */
function said(plan: ReturnType<typeof planCleanup>): string {
  if (plan.type !== 'let-go' || plan.left.length === 0) return plan.type;
  return `let-go: may be left ${plan.left.map(({ id }) => id).join(' ')}`;
}

type Row = readonly [sentence: string, given: Given, says: string];
const pending = (add: string[], remove: string[]) => ({
  pendingChange: { time: at(0), add: add.map((id) => e(id)), remove: remove.map((id) => e(id)) },
});
const VERIFIED: OrganizationStatus = { verified: { time: at(0), apiHash: API_HASH } };
const FAR = { namespace: 'elsewhere' };

describe('an object that is deleted', () => {
  test.each<Row>([
    ['removes what is ours', {}, 'attempt'],
    [
      'removes what was adopted',
      { inventory: [entry('a', { origin: 'Adopted' })], spec: { adoptPrivateEndpoints: true } },
      'attempt',
    ],
    [
      'removes what is Missing too: it may come back',
      { inventory: [entry('a', { state: 'Missing' })] },
      'attempt',
    ],
    [
      'removes what was sent and not seen yet',
      { inventory: [entry('a', { state: 'Unconfirmed' })] },
      'attempt',
    ],
    ['does so suspended and in Plan', { spec: { suspend: true, mode: 'Plan' } }, 'attempt'],
    [
      'does so although its list is empty or absent',
      { spec: { name: 'Acme', privateEndpoints: [] } },
      'attempt',
    ],
    [
      'waits for a change of which nobody knows what it did',
      { inventory: [], status: pending(['a'], []) },
      'attempt',
    ],
    [
      'waits for a removal of which nobody knows what it did',
      { inventory: [], status: pending([], ['a']) },
      'attempt',
    ],
    [
      'is let go under Retain, and nothing is said to be left',
      { spec: { deletionPolicy: 'Retain' } },
      'let-go',
    ],
    ['is let go where nothing is ours', { inventory: [] }, 'let-go'],
    [
      'is let go where it only found something',
      { inventory: [entry('a', { origin: 'Found' })] },
      'let-go',
    ],
    [
      'is let go where adoption was taken back before',
      { inventory: [entry('a', { origin: 'Adopted' })] },
      'let-go',
    ],
    [
      'is let go where something was only refused',
      { inventory: [{ ...e('a'), state: 'Refused' }] },
      'let-go',
    ],
  ])('%s', holds);

  test('has the goal that nothing of ours is there, and no cap', () => {
    const plan = planned({ spec: { name: 'Acme', maxPrivateEndpointRemovals: 1 } });
    expect(plan).toMatchObject({
      goal: { isCleanup: true, mostRemovals: Infinity, wanted: new Set() },
    });
  });
});

describe('at the deadline', () => {
  const late = { now: 10 * MINUTE };
  test.each<Row>([
    [
      'it is let go once an attempt of this process has failed, and what may be left is named',
      { ...late, hasFailed: true },
      'let-go: may be left a',
    ],
    ['it is tried once more where this process has not tried yet', late, 'attempt'],
    [
      'it is not let go a second earlier',
      { now: 10 * MINUTE - SECOND, hasFailed: true },
      'attempt',
    ],
    [
      'what may have been added is named too',
      { ...late, hasFailed: true, status: pending(['b'], []) },
      'let-go: may be left a b',
    ],
    [
      'what others list is not named as left',
      { ...late, hasFailed: true, inventory: [entry('a'), entry('b')], others: [another(['b'])] },
      'let-go: may be left a',
    ],
  ])('%s', holds);
});

describe('what another object lists', () => {
  test.each<Row>([
    ['stays, where that is in the same namespace', { others: [another(['a'])] }, 'let-go'],
    ['stays in whatever case it is listed', { others: [another(['A'])] }, 'let-go'],
    [
      'stays alone, and the rest goes',
      { inventory: [entry('a'), entry('b')], others: [another(['a'])] },
      'attempt',
    ],
    [
      'goes, where that is in another namespace and never verified',
      { others: [another(['a'], FAR)] },
      'attempt',
    ],
    [
      'stays, where that is verified, wherever it is',
      { others: [another(['a'], FAR, VERIFIED)] },
      'let-go',
    ],
    [
      'goes, where that was verified by another API',
      { others: [another(['a'], FAR, { verified: { time: at(0), apiHash: 'x' } })] },
      'attempt',
    ],
    [
      'goes, where that is being deleted too',
      { others: [another(['a'], { deletionTimestamp: at(0) })] },
      'attempt',
    ],
    [
      'goes, where that cannot be read',
      { others: [{ ...another(['a']), spec: { organizationId: 7 } }] },
      'attempt',
    ],
  ])('%s', holds);

  test('is wanted by the goal', () => {
    const plan = planned({ inventory: [entry('a'), entry('b')], others: [another(['a'])] });
    expect(plan).toMatchObject({ goal: { wanted: { size: 1 } } });
  });
});

describe('one that does not own the organization', () => {
  const older = { creationTimestamp: '2026-03-01T10:00:00Z' };
  test.each<Row>([
    [
      'is let go without a call, and names what may be left',
      { others: [another([], older, VERIFIED)] },
      'let-go: may be left a',
    ],
    [
      'is let go the same way for an owner in another namespace',
      { others: [another([], { ...older, ...FAR }, VERIFIED)] },
      'let-go: may be left a',
    ],
    [
      'is the owner where the older one was never verified',
      { others: [another([], older)] },
      'attempt',
    ],
  ])('%s', holds);
});

test('a spec that cannot be read is no ground to let go before the deadline', () => {
  const rawSpec = { organizationId: 7, deletionPolicy: 'RemovePrivateEndpoints' };
  expect(said(planned({ rawSpec }))).toBe('unreadable');
});

function holds(_: string, given: Given, says: string): void {
  expect(said(planned(given))).toBe(says);
}
