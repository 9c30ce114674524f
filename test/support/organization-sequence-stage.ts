import { isDeepStrictEqual } from 'node:util';
import { waitFor } from '../controlplane/client.ts';
import { someoneElse } from '../simulator/someone-else.ts';
import { asAdmin } from './cluster.ts';
import type { InnerOperator } from './inner-operator.ts';
import type { Reference } from './organization-reference.ts';
import type { ModelServer } from './organization-reference-server.ts';
import { type Endpoint, keyOf, type Wish } from './organization-reference-terms.ts';
import { type Org, type Organizations } from './organization-scene.ts';
import type { Mishap, Step } from './organization-sequence.ts';
import type { Scene } from './scene.ts';

export const API_TIMEOUT_MS = 5_000;

/** What one sequence is played on: the operator with its API, and the reference with its own. */
export interface Stage {
  readonly scene: Scene;
  readonly orgs: Organizations;
  readonly operator: InnerOperator;
  /** Of the object, and of its Secret. */
  readonly name: string;
  readonly organizationId: string;
  readonly keyId: string;
  readonly server: ModelServer;
  readonly reference: Reference;
}

/** Failures that stand until somebody does something; those of refused endpoints while these are refused. */
const STANDING = ['EndpointConflict', 'RemovalBlocked'];

/** Does a step in both worlds, and waits until the object has come to rest. */
export async function take(stage: Stage, step: Step): Promise<void> {
  const { scene, orgs, name, organizationId, server, reference } = stage;
  const troubles = 'mishaps' in step ? step.mishaps.map(({ means }) => means) : [];
  switch (step.do) {
    case 'edit':
      await during(stage, step.mishaps, () => write(stage, step.wish), isAtRest);
      reference.edit(step.wish, troubles);
      return;
    case 'request':
      await during(stage, step.mishaps, () => orgs.request(name), isAtRest);
      reference.request(troubles);
      return;
    case 'recreate': {
      const { wish = {} } = reference;
      await during(stage, step.mishaps, () => orgs.remove(name), isGone);
      reference.remove(troubles);
      await during(stage, [], () => write(stage, wish), isAtRest);
      reference.edit(wish);
      return;
    }
    case 'theirs':
      await someoneElse(scene.simulator, { organizationId }).change(step.change);
      server.theirs({ add: [], remove: [], ...step.change });
      return;
    case 'refuse':
      scene.simulator.play({ organization: { refusedIds: [...step.ids], refusedStatus: step.status } });
      server.refuse(step.ids, step.status);
  }
}

/** Takes the object away without a call, so that nothing is left to move when the next sequence turns the clock. */
export async function finish(stage: Stage): Promise<void> {
  const { scene, orgs, name } = stage;
  if (stage.reference.wish?.deletionPolicy) await write(stage, { name: 'Over' });
  await orgs.remove(name);
  await orgs.untilGone(name);
  await scene.removeSecret(name);
}

function write({ orgs, name, organizationId }: Stage, wish: Wish): Promise<void> {
  return orgs.create(name, { organizationId, credentialsSecretRef: { name }, ...wish });
}

type Until = (object: Org | undefined, stage: Stage) => boolean;

/** Lets the mishaps fall on the next calls, does it, and turns the clock from one attempt to the next until it is enough. */
async function during(stage: Stage, mishaps: readonly Mishap[], act: () => Promise<unknown>, until: Until) {
  const { scene, orgs, operator, name, keyId } = stage;
  const before = scene.simulator.callCount({ keyId });
  for (const { fault } of mishaps) scene.simulator.next(fault, { match: { keyId } });
  const waited = new Set<unknown>();
  let last: Org | undefined;

  /** Something waits in vain for its answer: lets it have waited. */
  function endSilence(): boolean {
    const silent = scene.simulator
      .calls({ keyId })
      .slice(before)
      .find((call, index) => isSilent(mishaps[index]) && call.answeredAt === undefined && !waited.has(call));
    if (silent) operator.clock.advance(API_TIMEOUT_MS + 1);
    return silent !== undefined && waited.add(silent).size > 0;
  }

  await act();
  const only = orgs.pathTo(name).replace(`/${name}`, `?fieldSelector=metadata.name=${name}`);
  const enough = waitFor(async () => (await asAdmin<{ items: Org[] }>('GET', only)).items[0], {
    what: name,
    until: (object) => {
      last = object;
      if (endSilence() || (object && !isHeard(object))) return false;
      if (until(object, stage)) return true;
      const left = object ? leftOf(object, operator.clock.now()) : 0;
      // Not while a pass runs: its call would have waited in vain for its answer.
      if (left > 0 && operator.isIdle()) operator.clock.advance(left + 1);
      return false;
    },
  });
  await enough.catch(() => {
    throw new Error(`it does not come to rest\n${seenOf(stage, last?.status)}`);
  });
  scene.simulator.clear();
}

/** How long until the next attempt. An object before the shut gate of its key has no time of its own: a probe is made every so often. */
function leftOf({ status }: Org, now: number): number {
  if (status.nextAttemptTime !== undefined) return Date.parse(status.nextAttemptTime) - now;
  return readyReason(status) === 'Unauthorized' ? 30_000 : 0;
}

function isSilent(mishap: Mishap | undefined): boolean {
  return mishap !== undefined && 'transport' in mishap.fault && mishap.fault.transport === 'no-answer';
}

/** The status speaks of this generation, and of the last request. */
function isHeard({ metadata, status }: Org): boolean {
  const requested = metadata.annotations?.['pipewright.dev/reconcile-requested-at'];
  const isAnswered = requested === undefined || status.lastHandledReconcileAt === requested;
  return isAnswered && status.observedGeneration === metadata.generation;
}

const isGone: Until = (object) => object === undefined;

const isAtRest: Until = (object, { server }) => {
  if (object === undefined || object.status.pendingChange) return false;
  const { status } = object;
  const reason = readyReason(status);
  if (reason === 'Suspended' || reason === 'Planned') return true;
  const ledger = status.privateEndpoints ?? [];
  if (ledger.some(({ state }) => state === 'Unconfirmed' || state === 'Removing')) return false;
  if (reason === 'Applied') return status.conditions.length === 1;
  // Without a next attempt the reason is that of an attempt before, and another one is under way.
  if (status.nextAttemptTime === undefined) return false;
  const isRefused = ledger.some((one) => one.state === 'Refused' && server.refuses(keyOf(one)));
  return STANDING.includes(reason) || (isRefused && (reason === 'Rejected' || reason === 'Conflict'));
};

function readyReason(status: Org['status']): string {
  return status.conditions.find(({ type }) => type === 'Ready')?.reason ?? '';
}

/** What the API holds, what the object says of it, and how often each endpoint was asked for, moved, and by whom it is held to be. */
export async function compare(stage: Stage): Promise<void> {
  const { scene, orgs, name, organizationId, keyId, server, reference } = stage;
  const { status } = await orgs.get(name);
  const held = orgs.held(organizationId);
  const { ledger, reasons } = reference.rest();
  const reason = readyReason(status);
  const entries = (status.privateEndpoints ?? []).map((one) => [keyOf(one), `${one.origin} ${one.state}`]);
  const seen = {
    reason,
    name: held.name,
    listed: shown(held.privateEndpoints),
    ledger: Object.fromEntries(entries) as unknown,
    counts: scene.simulator.endpointCounts(organizationId, { keyId }),
  };
  const due = {
    reason: reasons.includes(reason) ? reason : reasons.join(),
    name: server.name,
    listed: shown(server.list()),
    ledger,
    counts: server.counts(),
  };
  if (isDeepStrictEqual(seen, due)) return;
  throw new Error(`${diff(due, seen)}\n${seenOf(stage, status)}`);
}

/** The fields that are not as they should be. */
function diff(due: Readonly<Record<string, unknown>>, seen: Readonly<Record<string, unknown>>): string {
  const wrong = Object.keys(due).filter((field) => !isDeepStrictEqual(due[field], seen[field]));
  const line = (field: string): string =>
    `${field}\n  reference ${JSON.stringify(due[field])}\n  operator  ${JSON.stringify(seen[field])}`;
  return wrong.map(line).join('\n');
}

function shown(list: readonly Endpoint[]): string[] {
  return list.map((one) => `${keyOf(one)} ${one.description ?? ''}`).toSorted();
}

/** What there is to see of an object when something is wrong. */
function seenOf({ scene, keyId, operator }: Stage, status: unknown): string {
  const calls = scene.simulator
    .calls({ keyId })
    .map(({ status: code, fate, applied, text }) => `  ${code ?? fate}${applied ? ', applied' : ''}: ${text}`);
  const now = new Date(operator.clock.now()).toISOString();
  return `calls\n${calls.join('\n')}\nstatus at ${now} ${JSON.stringify(status)}`;
}
