import type { Notice } from '../../controller/kind.ts';
import type { KubeObject } from '../../kube/resource.ts';
import {
  type Attempt,
  attempt,
  type Calls,
  type Reservation,
  reserve,
} from '../engine/api-call.ts';
import type { Step } from './attempt/next-step.ts';
import type { Notebook } from './attempt/notebook.ts';
import { isTooLate } from './attempt/notes.ts';
import { leftNotices } from './cleanup.ts';
import { Listing, readList, type Tuple } from './endpoints/endpoints.ts';
import { placeOf } from './endpoints/wording.ts';
import type { Plan } from './plan.ts';
import { organizationRequest } from './remote.ts';
import { FINALIZER, type Organization } from './resource.ts';

/** What came of a plan; `answeredAt`: monotonic ms at which a call that has left was over. */
export type Result =
  | ((Attempt | Reservation) & { readonly answeredAt?: number })
  | { readonly got: 'nothing' }
  | { readonly got: 'finalizers' };

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
export async function act(object: Organization, plan: Plan, using: Acting): Promise<Result> {
  switch (plan.do) {
    case 'hold':
    case 'release': {
      if (plan.do === 'release') tellWhatIsLeft(object, plan, using);
      const rest = (object.metadata.finalizers ?? []).filter(
        (finalizer) => finalizer !== FINALIZER,
      );
      const isWritten = await using.writeFinalizers(
        object,
        plan.do === 'hold' ? [...rest, FINALIZER] : rest,
      );
      return { got: isWritten ? 'finalizers' : 'nothing' };
    }
    case 'step':
      return takeStep(object, plan, using);
    case 'nothing':
    case 'refuse-spec':
    case 'suspend':
    case 'yield':
    case 'preview':
    case 'reschedule':
    case 'disown':
      return { got: 'nothing' };
  }
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
): Promise<Result> {
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
    case 'intend':
      return reserve(wish, using);
    case 'look':
    case 'name':
    case 'send': {
      const write = step.step !== 'look' || step.by === 'name';
      const result = await attempt(
        {
          ...wish,
          write,
          of: 'organization',
          isShown: (reply) => showsEffect(step, work.goal.name, reply),
          request: organizationRequest(work.segments, step.body),
          // Its key was long in coming, or its connection.
          isTooLate: () =>
            step.step === 'send' && isTooLate(work.notes, step.pending, using.monotonic()),
          onLeave(leftAt) {
            if (step.step === 'send') using.notebook.leaves(object, leftAt);
          },
        },
        using,
      );
      return 'leftAt' in result ? { ...result, answeredAt: using.monotonic() } : result;
    }
    case 'end':
      return { got: 'nothing' };
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

function withPlace(tuple: Tuple): string {
  return `${tuple.id} (${placeOf(tuple)})`;
}
