import type { Context, Result } from '../../controller/kind.ts';
import type { SecretRef } from '../../kube/key-pair.ts';
import type { KubeObject } from '../../kube/resource.ts';
import type { SpecResult } from '../schema/parser.ts';
import type { WriteStatus } from '../schema/status-fields.ts';
import type { Calls, NoCall } from './calls.ts';
import { type Contested, refuseOthers, refuseSpec, refuseSuspended, showPlan } from './checks.ts';
import { generationOf } from './common-status.ts';
import { type CallFacts, type Due, whenDue } from './due.ts';
import type { Shared } from './objects.ts';
import type { EmptyOrNot } from './preview.ts';
import { ownershipOf, rivalConfirmedLater } from './target.ts';

/** What a spec says of whether, when and with which key it is brought about. */
interface Spec {
  readonly credentialsSecretRef: SecretRef;
  readonly suspend?: boolean | undefined;
  readonly mode?: 'Apply' | 'Plan' | undefined;
  readonly reassertInterval?: string | undefined;
}

/** What a kind says of an object whose spec declares a state at the API. */
export interface Declared<Stored extends KubeObject, Own extends Spec> {
  readonly parse: (object: KubeObject) => SpecResult<Own>;
  readonly contested: (spec: Own) => Contested;
  /** Identifies what is brought about where; `status.applied.requestHash`. */
  readonly hashOf: (spec: Own) => string;
  /** Nothing is open since the API confirmed something. */
  readonly isSettled: (object: Stored, spec: Own) => boolean;
  readonly preview: (object: Stored, spec: Own, now: number) => EmptyOrNot;
  /** Identifies the API in a status. */
  readonly apiHash: string;
  /** `--plan-only`. */
  readonly planOnly: boolean;
}

export interface DeclaredFacts<Stored extends KubeObject> extends CallFacts {
  /** The other objects for the same target. */
  readonly others: readonly Stored[];
  readonly now: number;
}

export type Decision<Own> =
  | { readonly type: 'done'; readonly result: Result }
  | { readonly type: 'act'; readonly spec: Own; readonly due: Extract<Due, { type: 'now' }> };
/** What is to be brought about now. */
export type Wanted<Own> = Extract<Decision<Own>, { type: 'act' }>;

export function done(result: Result): Decision<never> {
  return { type: 'done', result };
}

/** Nothing is to be done now, nor said. */
export function rest(at?: number): Decision<never> {
  return done({ next: at === undefined ? 'on-change' : { at }, did: 'nothing' });
}

const PLAN_ONLY = 'the operator runs with --plan-only and changes nothing for any object';

/** Whether the declared state is to be brought about now. The order is that of precedence. */
function decideDeclared<Stored extends KubeObject, Own extends Spec>(
  object: Stored,
  kind: Declared<Stored, Own>,
  facts: DeclaredFacts<Stored>,
): Decision<Own> {
  const { others, now } = facts;
  const { apiHash, planOnly } = kind;
  // Make sure it is not being deleted: its spec is nobody's wish any more
  if (object.metadata.deletionTimestamp !== undefined) return rest();
  // Make sure the stored spec can be read
  const parsed = kind.parse(object);
  if (!parsed.ok) return done(refuseSpec(object, parsed.message, now));
  const { spec } = parsed;
  // Make sure it is not suspended
  const isLast = !rivalConfirmedLater(object, others);
  const { applied }: WriteStatus = object.status ?? {};
  const hash = kind.hashOf(spec);
  const isHeld = isLast && applied?.requestHash === hash && kind.isSettled(object, spec);
  if (spec.suspend) return done(refuseSuspended(object, { isHeld, says: says(isHeld), now }));
  // Make sure no other object owns the target
  const isValid = (other: KubeObject): boolean => kind.parse(other).ok;
  const ownership = ownershipOf(object, others, { apiHash, isValid });
  if (ownership.type === 'waits')
    return done(refuseOthers(object, ownership, { contested: kind.contested(spec), now }));
  // Make sure Apply is wanted
  if (spec.mode === 'Plan' || planOnly) {
    const { isEmpty, ...preview } = kind.preview(object, spec, now);
    const how = spec.mode === 'Plan' ? 'set spec.mode to Apply to send it' : PLAN_ONLY;
    return done(showPlan(object, { preview, hash, isEmpty: isEmpty && isLast, how, now }));
  }
  // Make sure something is to be sent, and its time has come: a new generation is sent once more
  const confirmed = isHeld && applied?.generation === generationOf(object);
  const due = whenDue(object, facts, { confirmed, reassertInterval: spec.reassertInterval, now });
  return due.type === 'now' ? { type: 'act', spec, due } : rest(due.at);
}

/**
 * Decides, waits for the permit, decides again, since what was true before the wait may not be any
 * more, and acts. `none`: why there is no permit.
 */
export function reconcileDeclared<Stored extends KubeObject, Own extends Spec>(
  object: Stored,
  context: Context<Stored>,
  { caller, others }: Shared<Stored>,
  kind: Declared<Stored, Own>,
  act: (began: Stored, wanted: Wanted<Own>, calls: Calls, none?: NoCall) => Promise<Result>,
): Promise<Result> {
  const decide = (newest: Stored): Decision<Own> => {
    const known = { others: others(newest), now: context.now() };
    return decideDeclared(newest, kind, { ...caller.factsOf(newest), ...known });
  };
  const first = decide(object);
  if (first.type === 'done') return Promise.resolve(first.result);
  const wish = { ref: first.spec.credentialsSecretRef, ...first.due };
  return caller.perform(object, context, wish, async (calls, none) => {
    const decided = none ? first : decide(context.object());
    if (decided.type === 'done') return decided.result;
    return act(context.object(), decided, calls, none);
  });
}

function says(isHeld: boolean): string {
  return isHeld
    ? 'The declared state is the one last confirmed'
    : 'The declared state has not been confirmed. Set spec.suspend to false to send it';
}
