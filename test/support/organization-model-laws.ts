import { expect } from 'vitest';
import type { Tuple } from '../../src/kinds/organization/endpoints.ts';
import { FINALIZER, type OrganizationSpec } from '../../src/kinds/organization/resource.ts';
import { API_TIMEOUT, type Loop, type Pass } from './organization-model.ts';
import type { Entry, PatchBody } from './organization-model-server.ts';

export function keyOf({ id, cloudProvider, region }: Tuple): string {
  return `${id} ${cloudProvider} ${region}`;
}

/** Thousands of passes are checked in a second: nothing is made ready for a message that nobody reads. */
export function holds(is: boolean, law: string, got?: unknown): void {
  if (!is) throw new Error(`${law}: ${JSON.stringify(got)}`);
}

function keysOf(list: readonly Tuple[] | undefined): string {
  return (list ?? []).map(keyOf).sort().join();
}

/** A body that leaves: what no state of anything allows it to be. */
export function checkBody({ before, plan }: Pass): void {
  if (plan.do !== 'step' || (plan.step !== 'read' && plan.step !== 'send')) return;
  const spec = before.spec as OrganizationSpec;
  const body = JSON.parse(plan.body) as PatchBody;
  const { add, remove } = body.privateEndpoints ?? {};
  const keys = Object.keys(body);
  holds(keys.length > 0 && keys.every((key) => key === 'name' || key === 'privateEndpoints'), 'no other body', body);
  if (body.name !== undefined) {
    holds(body.name === spec.name, 'no name that is not declared', body);
    holds(before.metadata.deletionTimestamp === undefined, 'no name on deletion', body);
  }
  if (plan.step === 'read') {
    holds(
      !body.privateEndpoints || plan.body === '{"privateEndpoints":{"add":[],"remove":[]}}',
      'a read changes nothing',
      body,
    );
    return;
  }
  holds(
    add?.length !== 0 && remove?.length !== 0 && (add !== undefined || remove !== undefined),
    'no empty list',
    body,
  );
  const isHeld = before.metadata.finalizers?.includes(FINALIZER) ?? false;
  const mustHold = add !== undefined && spec.deletionPolicy === 'RemovePrivateEndpoints';
  holds(!mustHold || isHeld, 'the finalizer is on before an add is sent', before.metadata);
  const added = new Set(add?.map(({ id }) => id));
  holds(!remove?.some(({ id }) => added.has(id)), 'no id in both lists', body);
  const declared = new Map((spec.privateEndpoints ?? []).map((endpoint) => [keyOf(endpoint), endpoint]));
  for (const item of add ?? []) {
    const endpoint = declared.get(keyOf(item));
    holds(endpoint !== undefined, 'only what is declared is added', body);
    holds(item.description === (endpoint?.description || undefined), 'the declared description or none', body);
    holds(
      Object.keys(item).every((key) => ['id', 'cloudProvider', 'region', 'description'].includes(key)),
      'no other key',
      item,
    );
  }
  const { pendingChange, privateEndpoints = [] } = before.status ?? {};
  const isOnRecord = keysOf(pendingChange?.add) === keysOf(add) && keysOf(pendingChange?.remove) === keysOf(remove);
  holds(isOnRecord && pendingChange?.name === body.name, 'what leaves is on record', { body, pendingChange });
  const adopts = spec.adoptPrivateEndpoints === true && before.metadata.deletionTimestamp === undefined;
  const origins = new Map(privateEndpoints.map((entry) => [keyOf(entry), entry.origin]));
  for (const tuple of remove ?? []) {
    const { deletionTimestamp } = before.metadata;
    // On deletion, where the API cannot be asked, what may have been added counts as added.
    const origin = origins.get(keyOf(tuple)) ?? (deletionTimestamp === undefined ? 'unknown' : 'Added');
    holds(origin === 'Added' || (adopts && origin === 'Adopted'), 'only what is ours is removed', { tuple, origin });
    holds(deletionTimestamp !== undefined || !declared.has(keyOf(tuple)), 'what is declared stays', tuple);
    holds(Object.keys(tuple).join() === 'cloudProvider,id,region', 'a removal carries the tuple alone', tuple);
  }
  if (before.metadata.deletionTimestamp === undefined) {
    holds((remove?.length ?? 0) <= (spec.maxPrivateEndpointRemovals ?? 5), 'not more removals than allowed', body);
  }
}

/** What has to hold over the whole life of an object; give it every pass. `trustworthy`: a list always says what there is, and can be had. */
export function lifeLaws({
  trustworthy,
  visits = 'quiet',
}: {
  readonly trustworthy: boolean;
  readonly visits?: 'quiet' | 'may ask';
}): (pass: Pass, loop: Loop) => void {
  const adopted = new Set<string>();
  const lostAt = new Map<string, number>();
  let others: readonly Entry[] | undefined;
  let seen = 0;
  return (pass, loop) => {
    checkBody(pass);
    const status = loop.status();
    const ledger = status.privateEndpoints ?? [];
    holds(new Set(ledger.map(keyOf)).size === ledger.length, 'each endpoint once in the ledger', ledger);
    for (const entry of ledger) if (entry.origin === 'Adopted') adopted.add(keyOf(entry));
    if (trustworthy) {
      const there = loop.server.entries().filter(({ by }) => by === 'others');
      const gone = (others ?? []).filter((entry) => !there.some((other) => keyOf(other) === keyOf(entry)));
      holds(
        gone.every((entry) => adopted.has(keyOf(entry))),
        'what others added stays',
        gone,
      );
      others = there;
      const theirs = new Set(there.map(keyOf));
      const claimed = ledger.filter((entry) => entry.origin === 'Added' && theirs.has(keyOf(entry)));
      holds(claimed.length === 0, 'what others added is not ours', claimed);
    }
    for (const { at, body, told } of loop.server.calls.slice(seen)) {
      for (const [op, list] of [
        ['+', body.privateEndpoints?.add ?? []] as const,
        ['-', body.privateEndpoints?.remove ?? []] as const,
      ])
        for (const item of list) {
          // The contrary is only sent where a list has shown that it was done.
          lostAt.delete((op === '+' ? '-' : '+') + keyOf(item));
          const before = lostAt.get(op + keyOf(item));
          holds(before === undefined || at >= before + API_TIMEOUT, 'not again while it may be at work', { op, item });
          if (told === 'late' || told.startsWith('lost')) lostAt.set(op + keyOf(item), at);
          else lostAt.delete(op + keyOf(item));
        }
    }
    seen = loop.server.calls.length;
    const isWoken = pass.plan.do === 'hold' || pass.plan.do === 'release';
    if (pass.report.outcome.next !== 'go-on' && !isWoken) expectQuiet(loop, visits === 'may ask');
  };
}

const QUIET: ReadonlySet<string> = new Set(['nothing', 'suspend', 'preview', 'yield', 'refuse-spec']);

/** A visit that nobody asked for, as an event brings one, makes no call and writes nothing before the time. */
export function expectQuiet(loop: Loop, mayAsk = false): void {
  const next = loop.peek();
  if (mayAsk && next.do === 'step' && next.step === 'read') return;
  if (next.do === 'step' && (next.step === 'wait' || next.step === 'judge')) return;
  holds(QUIET.has(next.do), 'a visit before its time does nothing', next);
}

/** Calls in an hour at most for what cannot be had: a 409 is tried again every two minutes and taken apart, all else in minutes or hours. */
export function mostCallsAnHour(loop: Loop): number {
  const { privateEndpoints = [] } = loop.object().spec as OrganizationSpec;
  const isBusy = loop.server.calls.some(({ told }) => told === '409');
  return isBusy ? 40 * (4 + 4 * privateEndpoints.length) : 30;
}

/** The declared state, as far as others leave room for it, and what keeps the rest from being so. */
export function expectReached(loop: Loop): void {
  const spec = loop.object().spec as OrganizationSpec;
  const entries = loop.server.entries();
  const declared = new Set(spec.privateEndpoints?.map(keyOf));
  const inTheWay = (tuple: Tuple): boolean =>
    entries.some((entry) => entry.id === tuple.id && keyOf(entry) !== keyOf(tuple) && !isOurs(loop, entry));
  const missing = (spec.privateEndpoints ?? []).filter(
    (tuple) => !entries.some((entry) => keyOf(entry) === keyOf(tuple)),
  );
  const surplus = spec.privateEndpoints
    ? entries.filter((entry) => isOurs(loop, entry) && !declared.has(keyOf(entry)))
    : [];
  const foreign = (loop.status().privateEndpoints ?? []).filter(
    (one) => one.origin === 'Found' && entries.some((entry) => entry.by === 'operator' && keyOf(entry) === keyOf(one)),
  );
  expect(foreign).toEqual([]);
  const reason = loop.reason();
  if (reason === 'RemovalBlocked') {
    expect(surplus.length).toBeGreaterThan(spec.maxPrivateEndpointRemovals ?? 5);
    return;
  }
  if (spec.name !== undefined) expect(loop.server.name()).toBe(spec.name);
  const conflicts = [...missing, ...surplus];
  expect(conflicts.filter((tuple) => !inTheWay(tuple))).toEqual([]);
  expect(reason).toBe(conflicts.length > 0 ? 'EndpointConflict' : 'Applied');
}

function isOurs(loop: Loop, entry: Entry): boolean {
  const spec = loop.object().spec as OrganizationSpec;
  return (loop.status().privateEndpoints ?? []).some(
    (ours) =>
      keyOf(ours) === keyOf(entry) &&
      (ours.origin === 'Added' || (ours.origin === 'Adopted' && spec.adoptPrivateEndpoints === true)),
  );
}
