import type { ActivityStatus } from '../kinds/activity/resource.ts';
import { definitions } from '../kinds/definitions.ts';
import { FINALIZER, type OrganizationStatus } from '../kinds/organization/resource.ts';
import type { PipeSettingsStatus } from '../kinds/pipe-settings/resource.ts';
import type { Definition } from '../kinds/schema/definition.ts';
import { soundStatus } from '../kinds/schema/sound.ts';
import { currentReady, generationOf, isRequested } from '../kinds/status/common-status.ts';
import type { KubeObject } from '../kube/resource.ts';
import type { Found } from './cluster/objects.ts';
import { plainTexts } from './words.ts';

/** Where an object stands, in the words that tables show. */
export type State =
  | 'Stalled'
  | 'Not ready'
  | 'Deleting'
  | 'Waiting'
  | 'Suspended'
  | 'Planned'
  | 'Ready';

/** Reason of an object that nobody has acted on since it was edited. Others are those of Ready. */
export const EDITED = 'Edited';

/** What has to happen before anything is sent for the object. */
export type Next =
  | { readonly waitsFor: 'time'; readonly time: string }
  /** Its turn has come, or the operator is not there. */
  | { readonly waitsFor: 'operator' }
  /** Somebody must mend what keeps it from being ready. */
  | { readonly waitsFor: 'person' }
  /** Nothing is left to do until somebody changes something. */
  | { readonly waitsFor: 'change' }
  /** Finalizers of others keep it while it is being deleted. */
  | { readonly waitsFor: 'finalizers'; readonly names: readonly string[] };

/** What the API last confirmed; for an Activity, that the record has been fetched. */
export interface Confirmed {
  /** Absent: it is not on record. */
  readonly time?: string | undefined;
  /** Absent: whichever there is. */
  readonly generation?: number | undefined;
}

export interface Standing {
  readonly state: State;
  readonly reason: string;
  readonly ready: boolean;
  readonly stalled: boolean;
  readonly generation: number;
  /** That the status speaks of; -1: of none. */
  readonly observedGeneration: number;
  readonly confirmed: Confirmed | undefined;
  readonly next: Next;
  readonly message: string;
}

/** The fields of all kinds; each kind has its own of them. */
export type AnyStatus = Partial<PipeSettingsStatus & OrganizationStatus & ActivityStatus>;

const readers = new Map<Definition, (status: unknown) => object | undefined>(
  definitions.map((definition) => [definition, soundStatus(definition.status)]),
);

/** The status as the operator would read it, and each text in it one plain line. */
export function statusOf({ definition, object }: Found): AnyStatus {
  return plainTexts(readers.get(definition)?.(object.status) ?? {});
}

/** All that `standingOf` reads of a status: of a thousand objects the rest takes long to read. */
const READ = [
  'observedGeneration',
  'conditions',
  'nextAttemptTime',
  'lastHandledReconcileAt',
  'lastRequest',
  'applied',
  'activity',
] as const satisfies readonly (keyof AnyStatus)[];
type Read = Pick<AnyStatus, (typeof READ)[number]>;

function readOf({ definition, object }: Found): Read {
  const stored = (object.status ?? {}) as Readonly<Record<string, unknown>>;
  const fields = READ.filter((name) => stored[name] !== undefined);
  const status = Object.fromEntries(fields.map((name) => [name, stored[name]]));
  return statusOf({ definition, object: { ...object, status } });
}

/** How the object stands, of whatever kind. */
export function standingOf(found: Found, status: Read = readOf(found)): Standing {
  const object: KubeObject = { ...found.object, status };
  const ready = currentReady(object, status);
  const isDeleted = object.metadata.deletionTimestamp !== undefined;
  const facts: Facts = {
    object,
    status,
    ready,
    isDeleted,
    isStalled: isTrue(status, 'Stalled', generationOf(object)),
  };
  return {
    state: stateOf(facts),
    reason: ready?.reason ?? (isDeleted ? 'Deleting' : EDITED),
    ready: ready?.status === 'True' && !isDeleted,
    stalled: facts.isStalled,
    generation: generationOf(object),
    observedGeneration: status.observedGeneration ?? -1,
    confirmed: confirmedOf(status),
    next: nextOf(facts),
    message: messageOf(facts).trim(),
    ...unvisited(facts),
  };
}

interface Facts {
  readonly object: KubeObject;
  readonly status: Read;
  /** Of the present generation. */
  readonly ready: ReturnType<typeof currentReady>;
  readonly isDeleted: boolean;
  readonly isStalled: boolean;
}

/** The status that the API server gives to a new object speaks of no generation. */
function unvisited({ status, isDeleted }: Facts): Partial<Standing> {
  const pending = readyIn(status);
  if (isDeleted || (status.observedGeneration ?? -1) !== -1) return {};
  return {
    reason: pending?.reason ?? 'Pending',
    message: pending?.message.trim() ?? 'Not tried yet',
  };
}

function stateOf({ status, ready, isDeleted, isStalled }: Facts): State {
  if (isDeleted) return 'Deleting';
  if (isStalled) return 'Stalled';
  if (!ready) return (status.observedGeneration ?? -1) === -1 ? 'Waiting' : 'Not ready';
  if (ready.reason === 'Suspended' || ready.reason === 'Planned') return ready.reason;
  if (ready.reason === 'Pending') return 'Waiting';
  return ready.status === 'True' ? 'Ready' : 'Not ready';
}

function confirmedOf({ applied, activity, lastRequest }: Read): Confirmed | undefined {
  if (applied) return { time: applied.time, generation: applied.generation };
  if (!activity) return undefined;
  return { time: lastRequest?.outcome === 'Succeeded' ? lastRequest.time : undefined };
}

function nextOf({ object, status, ready, isDeleted, isStalled }: Facts): Next {
  const { finalizers = [] } = object.metadata;
  if (isDeleted && !finalizers.includes(FINALIZER))
    return { waitsFor: 'finalizers', names: plainTexts(finalizers) };
  if (!ready) return { waitsFor: 'operator' };
  if (status.nextAttemptTime !== undefined)
    return { waitsFor: 'time', time: status.nextAttemptTime };
  if (isStalled) return { waitsFor: 'person' };
  const isAtRest = ready.status === 'True' || /^(Suspended|Planned)$/.test(ready.reason);
  return { waitsFor: isAtRest && !isRequested(object) ? 'change' : 'operator' };
}

function messageOf({ object, status, ready, isDeleted }: Facts): string {
  const { finalizers = [] } = object.metadata;
  if (isDeleted && !finalizers.includes(FINALIZER))
    return finalizers.length === 0
      ? 'Being deleted'
      : `It is gone when its finalizers are taken off: ${plainTexts(finalizers).join(', ')}`;
  if (ready) return ready.message;
  if (isDeleted) return 'The operator has not acted on the deletion yet';
  const before = readyIn(status);
  const said = before
    ? `. It said of generation ${before.observedGeneration}: ${before.message}`
    : '';
  return `The operator has not acted on generation ${generationOf(object)} yet${said}`;
}

function readyIn({ conditions = [] }: Read) {
  return conditions.find(({ type }) => type === 'Ready');
}

function isTrue({ conditions = [] }: Read, type: string, generation: number): boolean {
  return conditions.some(
    (one) => one.type === type && one.status === 'True' && one.observedGeneration === generation,
  );
}
