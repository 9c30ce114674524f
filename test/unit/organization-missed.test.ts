import { expect, test } from 'vitest';
import { Notebook } from '../../src/kinds/organization/attempt/notebook.ts';
import { withOpen } from '../../src/kinds/organization/attempt/notes.ts';
import { progress } from '../../src/kinds/organization/attempt/progress.ts';
import { workOf } from '../../src/kinds/organization/attempt/session.ts';
import { goalOf } from '../../src/kinds/organization/goal.ts';
import type { Organization, OrganizationStatus } from '../../src/kinds/organization/resource.ts';
import { T0 } from '../support/objects.ts';
import { at, e, entry } from '../support/organization-entries.ts';
import { anOrganization, factsOf, parsedSpec } from '../support/organization-objects.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/**
 * One process and its notes; `look` returns the ledger after a look that shows these ids, by a wall
 * clock that was put back so far.
 */
function aProcess() {
  const notebook = new Notebook(95_000);
  const look = (
    object: Organization,
    atMs: number,
    ids: readonly string[],
    { tookMs = 0, backMs = 0 } = {},
  ) => {
    const spec = parsedSpec(object);
    const facts = { ...factsOf(object), notes: notebook.of(object, atMs), monotonic: atMs };
    const now = T0 + atMs - backMs;
    const work = workOf(object, facts, { spec, goal: goalOf(spec), now });
    const result = { privateEndpoints: ids.map((id) => e(id)) };
    const verdict = { ok: true, httpStatus: 200, outcome: 'Succeeded', result } as const;
    const call = { step: 'look', by: 'list', body: '{}' } as const;
    const called = { ...work, answeredAt: atMs + tookMs };
    const { session, notes } = progress({
      object,
      work: called,
      call,
      verdict,
      secretVersion: '1',
      now: now + tookMs,
    });
    notebook.set(object, withOpen(notes, session.draft));
    return { status: session.draft, ledger: session.draft.privateEndpoints };
  };
  return { notebook, look };
}

const object = (status: OrganizationStatus) => anOrganization({ ids: ['a'], status });
/** What the process that leads meanwhile has recorded. */
const theirs = (ms: number, more: OrganizationStatus): OrganizationStatus => ({
  lastRequest: { operation: 'UpdateOrganization', outcome: 'Succeeded', time: at(ms) },
  ...more,
});

test.each([
  ['still not there', [], [{ state: 'Missing' }]],
  ['there again', ['a'], [{ origin: 'Added', state: 'Present' }]],
] as const)(
  'what another process has found since and missed again is missed since then only: seconds later it is %s',
  (_, ids, says) => {
    const { notebook, look } = aProcess();
    const first = look(object({ privateEndpoints: [entry('a')] }), 0, []);
    expect(first.ledger).toMatchObject([{ state: 'Missing' }]);
    notebook.of(object(first.status), 1_000);
    notebook.of(object(theirs(MINUTE, { privateEndpoints: [entry('a')] })), MINUTE);
    const nextAttemptTime = at(HOUR + MINUTE);
    const again = object(
      theirs(HOUR, { privateEndpoints: [entry('a', { state: 'Missing', nextAttemptTime })] }),
    );
    expect(look(again, HOUR + 10_000, ids).ledger).toMatchObject(says);
  },
);

test('what this process was told is Missing is missed since then, by whatever clock that was dated: put back minutes later, it is nobody’s', () => {
  const { notebook, look } = aProcess();
  const nextAttemptTime = at(6 * MINUTE);
  const told = object({ privateEndpoints: [entry('a', { state: 'Missing', nextAttemptTime })] });
  notebook.of(told, 10_000);
  expect(look(told, 6 * MINUTE, ['a']).ledger).toMatchObject([
    { origin: 'Found', state: 'Present' },
  ]);
});

test('what this process has missed itself is missed since then through what it writes itself', () => {
  const { notebook, look } = aProcess();
  const { status } = look(object({ privateEndpoints: [entry('a')] }), 0, []);
  notebook.of(object(status), 1_000);
  expect(notebook.of(object(status), 2_000).looks.missedAt.size).toBe(1);
});

test('what a slow look has missed is missed since its answer: two answers come a minute apart before it is forgotten', () => {
  const { look } = aProcess();
  const { status } = look(object({ privateEndpoints: [entry('a')] }), 0, [], { tookMs: 30_000 });
  expect(look(object(status), 61_000, []).ledger).toMatchObject([{ state: 'Missing' }]);
  expect(look(object(status), 91_000, []).ledger).toBeUndefined();
});

test('a look that was longer under way than a request may be at work is over when it is over: its process stood still', () => {
  const { look } = aProcess();
  const { status } = look(object({ privateEndpoints: [entry('a')] }), 0, [], { tookMs: 120_000 });
  expect(look(object(status), 160_000, []).ledger).toMatchObject([{ state: 'Missing' }]);
  expect(look(object(status), 180_000, []).ledger).toBeUndefined();
});

test('what this process has missed is missed since then, whatever becomes of the wall clock', () => {
  const { look } = aProcess();
  const { status, ledger } = look(object({ privateEndpoints: [entry('a')] }), 0, []);
  expect(ledger).toMatchObject([{ state: 'Missing' }]);
  const back = look(object(status), 6 * MINUTE, ['a'], { backMs: 5 * MINUTE });
  expect(back.ledger).toMatchObject([{ origin: 'Found', state: 'Present' }]);
});

test('what this process misses once more is missed since the first time', () => {
  const { look } = aProcess();
  const first = look(object({ privateEndpoints: [entry('a')] }), 0, []);
  const second = look(object(first.status), 50_000, [], { backMs: 45_000 });
  expect(second.ledger).toMatchObject([{ state: 'Missing' }]);
  const back = look(object(second.status), 125_000, ['a'], { backMs: 70_000 });
  expect(back.ledger).toMatchObject([{ origin: 'Found', state: 'Present' }]);
});
