import { isDeepStrictEqual } from 'node:util';
import { judge } from '../../src/api/errors.ts';
import type { Attempt } from '../../src/kinds/attempt.ts';
import type { Result } from '../../src/kinds/organization/act.ts';
import { load } from '../../src/kinds/organization/load.ts';
import type { MemoReport } from '../../src/kinds/organization/memo.ts';
import { type Memo, Memos } from '../../src/kinds/organization/memo.ts';
import { type Plan, plan } from '../../src/kinds/organization/plan.ts';
import { report } from '../../src/kinds/organization/report.ts';
import {
  FINALIZER,
  type Organization,
  type OrganizationSpec,
  type OrganizationStatus,
} from '../../src/kinds/organization/resource.ts';
import { BASE_URL, REQUESTED_AT, T0 } from './objects.ts';
import { type Behaviour, type Entry, type ModelServer, modelServer, PLAIN } from './organization-model-server.ts';

export const HOUR_MS = 3_600_000;
export const API_TIMEOUT = 35_000;
export const CLEANUP_DEADLINE = 600_000;
export const ID = '0b1d7c52-91a4-4f0e-8a3b-6f1e2d3c4b5a';

/** A valid object that nobody has visited. */
export function anOrganization(
  spec: Partial<OrganizationSpec> = {},
  more: { readonly status?: OrganizationStatus; readonly uid?: string; readonly generation?: number } = {},
): Organization {
  const { uid = 'uid-1', generation = 1, status } = more;
  return {
    metadata: {
      name: uid,
      namespace: 'ingest',
      uid,
      generation,
      resourceVersion: '1',
      creationTimestamp: '2026-03-01T11:00:00Z',
    },
    spec: { organizationId: ID, credentialsSecretRef: { name: 'api-key' }, ...spec },
    ...(status && { status }),
  };
}

/** One pass, as it was. */
export interface Pass {
  readonly at: number;
  readonly before: Organization;
  readonly memo: Memo;
  readonly plan: Plan;
  readonly report: MemoReport;
}

/** What stops a process in a pass: before its step, or after it and before the status is written. */
export type Crash = 'before' | 'after';

export interface LoopOptions {
  readonly behaviour?: Partial<Behaviour>;
  readonly entries?: readonly Entry[];
  readonly object: Organization;
  /** Told of every pass, before the next; may throw. */
  readonly watch?: (pass: Pass, loop: Loop) => void;
  readonly baseUrl?: string;
}

/** What is Kubernetes, the queue and the clock in the real thing: an object, the memory of a process, and a time. */
export interface Loop {
  readonly server: ModelServer;
  object(): Organization;
  now(): number;
  status(): OrganizationStatus;
  /** `Applied`, `Rejected` …; '' before the first visit. */
  reason(): string;
  /** Status writes and finalizer writes so far. */
  writes(): { readonly status: number; readonly finalizers: number };
  /** The object has a deletionTimestamp and no finalizer. */
  gone(): boolean;
  /** Other objects for the organization. */
  rivals: readonly Organization[];
  /** What would be planned at a time; nothing is done. */
  peek(at?: number): Plan;
  /** One pass at the present time. */
  pass(crash?: Crash): Pass;
  /** Passes until nothing is scheduled, or the time or the number of passes is used up; waits as long as outcomes say. */
  run(limits?: {
    readonly forMs?: number;
    readonly passes?: number;
    readonly crashes?: readonly (Crash | undefined)[];
    /** Stops before a wait where this holds. */
    readonly until?: () => boolean;
  }): void;
  edit(spec: Partial<OrganizationSpec>): void;
  /** In place of the whole spec but for its ids. */
  replace(spec: Partial<OrganizationSpec>): void;
  request(value: string): void;
  remove(): void;
  restart(): void;
  wait(ms: number): void;
}

/** Between two passes and around a call some time goes by. */
const TICK = 37;

export function organizationLoop(options: LoopOptions): Loop {
  const server = modelServer({ ...PLAIN, ...options.behaviour }, options.entries ?? [], API_TIMEOUT / 2);
  const memos = new Memos();
  let { object } = options;
  let now = T0;
  let due: number | undefined = T0;
  const writes = { status: 0, finalizers: 0 };

  const factsNow = () =>
    load(object, {
      store: { byIndex: () => [object, ...loop.rivals] },
      secrets: { state: () => ({ state: 'present', resourceVersion: '1', type: undefined, changedAt: undefined }) },
      memory: { underWay: new Map(), triedSecret: new Map([[`ingest/${object.metadata.name}`, '1']]) },
      memos,
      predecessors: { of: () => undefined },
      hasSlot: () => false,
      baseUrl: options.baseUrl ?? BASE_URL,
      apiTimeoutMs: API_TIMEOUT,
      cleanupDeadlineMs: CLEANUP_DEADLINE,
    });
  const setFinalizers = (finalizers: readonly string[]): Result => {
    writes.finalizers += 1;
    object = { ...object, metadata: { ...object.metadata, finalizers } };
    return { got: 'finalizers' };
  };
  const fakeAct = (planned: Plan): Result => {
    if (planned.do === 'hold') return setFinalizers([FINALIZER]);
    if (planned.do === 'release' || planned.do === 'abandon') return setFinalizers([]);
    if (planned.do !== 'step') return { got: 'nothing' };
    if (planned.step === 'intend') return { got: 'slot' };
    if (planned.step !== 'read' && planned.step !== 'send') return { got: 'nothing' };
    const started = now;
    const reply = server.patch(planned.body, started);
    if (planned.step === 'send') {
      const { unsent: _, ...rest } = memos.of(object);
      memos.set(object, rest);
    }
    // A call that is lost takes until the deadline of the whole call, now and then.
    now += reply.answered || server.calls.length % 2 === 0 ? TICK : API_TIMEOUT;
    const verdict = judge(reply, { write: planned.step === 'send' || planned.reads === 'name' });
    const attempt: Attempt = verdict.ok ? { got: 'success', verdict, secretVersion: '1' } : { got: 'failure', verdict };
    return attempt;
  };

  const changed = (next: Organization): void => {
    object = next;
    due = now;
  };
  const loop: Loop = {
    server,
    rivals: [],
    object: () => object,
    now: () => now,
    status: () => object.status ?? {},
    reason: () => object.status?.conditions?.find(({ type }) => type === 'Ready')?.reason ?? '',
    writes: () => ({ ...writes }),
    peek: (at = now) => plan(object, factsNow(), at),
    gone: () => object.metadata.deletionTimestamp !== undefined && !object.metadata.finalizers?.includes(FINALIZER),
    pass(crash) {
      const at = now;
      const before = object;
      const memo = memos.of(object);
      const planned = plan(object, factsNow(), now);
      if (crash === 'before') {
        loop.restart();
        return { at, before, memo, plan: planned, report: { outcome: { next: 'go-on' }, did: 'crash' } };
      }
      const result = fakeAct(planned);
      if (crash === 'after') {
        loop.restart();
        return { at, before, memo, plan: planned, report: { outcome: { next: 'go-on' }, did: 'crash' } };
      }
      const said = report(before, planned, result, now);
      if (said.memo) memos.set(object, said.memo);
      if (said.status) {
        const status = JSON.parse(JSON.stringify(said.status)) as OrganizationStatus;
        if (!isDeepStrictEqual(status, before.status)) {
          writes.status += 1;
          object = { ...object, status };
        }
      }
      const { outcome } = said;
      // What the finalizers' write returns goes to the store, which wakes the key; a status write wakes nobody.
      const isWoken = outcome.next === 'go-on' || result.got === 'finalizers';
      due = isWoken ? now : outcome.next === 'recheck' ? outcome.at : undefined;
      const pass = { at, before, memo, plan: planned, report: said };
      options.watch?.(pass, loop);
      now += TICK;
      return pass;
    },
    run({ forMs = 24 * 3_600_000, passes = 5_000, crashes = [], until } = {}) {
      const end = now + forMs;
      for (let count = 0; ; count += 1) {
        if (due === undefined || loop.gone()) return;
        if (count >= passes) throw new Error(`Not at rest after ${passes} passes: ${JSON.stringify(object.status)}`);
        if (due > now && until?.()) return;
        now = Math.max(now, due);
        if (now > end) return;
        loop.pass(crashes[count]);
      }
    },
    edit(spec) {
      loop.replace({ ...(object.spec as OrganizationSpec), ...spec });
    },
    replace(spec) {
      const { generation = 0 } = object.metadata;
      const metadata = { ...object.metadata, generation: generation + 1 };
      changed({ ...object, metadata, spec: { ...(anOrganization().spec as object), ...spec } });
    },
    request(value) {
      changed({ ...object, metadata: { ...object.metadata, annotations: { [REQUESTED_AT]: value } } });
    },
    remove() {
      const { generation = 0 } = object.metadata;
      const deletionTimestamp = new Date(Math.ceil(now / 1000) * 1000).toISOString();
      changed({ ...object, metadata: { ...object.metadata, generation: generation + 1, deletionTimestamp } });
    },
    restart() {
      memos.forget(`ingest/${object.metadata.name}`);
      due = now;
    },
    wait(ms) {
      now += ms;
    },
  };
  return loop;
}
