import type { Notice } from '../../controller/kind.ts';
import type { KubeObject } from '../../kube/resource.ts';
import {
  type Attempt,
  attempt,
  type Calls,
  type Reservation,
  reserve,
} from '../engine/api-call.ts';
import type { Call, Step } from './attempt/next-step.ts';
import type { Notebook } from './attempt/notebook.ts';
import { isTooLate } from './attempt/notes.ts';
import type { Work } from './attempt/session.ts';
import { leftNotices } from './cleanup.ts';
import { Listing, readList } from './endpoints/endpoints.ts';
import { withPlace } from './endpoints/wording.ts';
import type { Plan } from './plan.ts';
import { organizationRequest } from './remote.ts';
import { FINALIZER, type Organization } from './resource.ts';

/** A plan that was carried out, with what came of it. */
export type Done =
  | Exclude<Plan, { do: 'hold' | 'release' | 'step' }>
  /** `isWritten` false: another writer was faster. */
  | (Extract<Plan, { do: 'hold' | 'release' }> & { readonly isWritten: boolean })
  | StepDone;

/** A step of an attempt that was made. */
export type StepDone =
  /** There was nothing to ask or to send. */
  | { readonly do: 'end'; readonly work: Work }
  /** A slot was asked for, before the intent of the call is written down. */
  | {
      readonly do: 'intend';
      readonly work: Work;
      readonly step: Extract<Step, { step: 'intend' }>;
      readonly came: Reservation;
    }
  /** `answeredAt`: monotonic ms at which a call that has left was over. */
  | {
      readonly do: 'call';
      readonly work: Work;
      readonly step: Call;
      readonly came: Attempt;
      readonly answeredAt?: number;
    };

export interface Acting extends Calls {
  readonly notebook: Pick<Notebook, 'leaves' | 'noteLeft'>;
  /**
   * Writes the finalizers and takes in what came back; false where somebody else was quicker.
   * Throws KubeError.
   */
  readonly writeFinalizers: (object: KubeObject, finalizers: readonly string[]) => Promise<boolean>;
  readonly emit: (object: KubeObject, notice: Notice) => void;
  /** Told when an object is about to be let go with something left at the API. */
  readonly onAbandoned: (object: KubeObject, left: readonly string[]) => void;
}

/** Does what the plan says: at most one call to one of the two APIs. */
export async function act(object: Organization, plan: Plan, using: Acting): Promise<Done> {
  if (plan.do === 'step') return takeStep(object, plan, using);
  if (plan.do !== 'hold' && plan.do !== 'release') return plan;
  if (plan.do === 'release') tellWhatIsLeft(object, plan, using);
  const rest = (object.metadata.finalizers ?? []).filter((finalizer) => finalizer !== FINALIZER);
  const finalizers = plan.do === 'hold' ? [...rest, FINALIZER] : rest;
  return { ...plan, isWritten: await using.writeFinalizers(object, finalizers) };
}

/**
 * What is left is told before the finalizer goes: where the answer to that is lost, nobody may be
 * left to tell it. Once, however often that is refused.
 */
function tellWhatIsLeft(
  object: Organization,
  plan: Extract<Plan, { do: 'release' }>,
  using: Acting,
): void {
  const notices = leftNotices(plan);
  const text = notices.map(({ note }) => note).join('\n');
  if (!using.notebook.noteLeft(object, text, using.monotonic())) return;
  for (const notice of notices) using.emit(object, notice);
  if (plan.abandoned.length > 0) using.onAbandoned(object, plan.abandoned.map(withPlace));
}

async function takeStep(
  object: Organization,
  plan: Extract<Plan, { do: 'step' }>,
  using: Acting,
): Promise<StepDone> {
  const { work, lane, probe, step } = plan;
  const wish = {
    object,
    ref: work.spec.credentialsSecretRef,
    target: work.spec.organizationId,
    lane,
    probe,
    goesOn: work.session.fresh !== undefined,
  };
  switch (step.step) {
    case 'end':
      return { do: 'end', work };
    case 'intend':
      return { do: 'intend', work, step, came: await reserve(wish, using) };
    case 'look':
    case 'name':
    case 'send': {
      const came = await attempt(
        {
          ...wish,
          write: step.step !== 'look' || step.by === 'name',
          of: 'organization',
          isShown: (reply) => showsEffect(step, work.goal.name, reply),
          request: organizationRequest(work.segments, step.body),
          // Reading its key may have taken long, or connecting.
          isTooLate: () =>
            step.step === 'send' && isTooLate(work.notes, step.pending, using.monotonic()),
          onLeave(leftAt) {
            if (step.step === 'send') using.notebook.leaves(object, leftAt);
          },
        },
        using,
      );
      return { do: 'call', work, step, came, answeredAt: using.monotonic() };
    }
  }
}

/**
 * An API may lag behind its writes. Whoever comes next for the organization, while it does, would
 * take what was there before for what is there.
 */
function showsEffect(
  step: Step,
  declared: string | undefined,
  result: Readonly<Record<string, unknown>>,
): boolean {
  if (step.step !== 'send') return typeof result.name !== 'string' || result.name === declared;
  const list = new Listing(readList(result) ?? []);
  const { add, remove } = step.pending;
  return add.every((tuple) => list.find(tuple)) && !remove.some((tuple) => list.has(tuple));
}
