import type { ApiClient, ApiRequest } from '../../api/client.ts';
import type { KubeObject } from '../../kube/resource.ts';
import { type Attempt, type Attempting, attempt, type Reservation, reserve } from '../attempt.ts';
import type { Tuple } from './endpoints.ts';
import type { Memos } from './memo.ts';
import type { Plan } from './plan.ts';
import { patchOrganization } from './remote.ts';
import { FINALIZER, type Organization } from './resource.ts';
import { placeOf } from './wording.ts';

/** What came of a plan. */
export type Result = Attempt | Reservation | { readonly got: 'nothing' } | { readonly got: 'finalizers' };

export interface Acting extends Attempting {
  readonly api: ApiClient;
  /** Changed only here and where a report is remembered. */
  readonly memos: Memos;
  /** Writes the finalizers and takes in what came back; false where somebody else was quicker. Throws KubeError. */
  readonly writeFinalizers: (object: KubeObject, finalizers: readonly string[]) => Promise<boolean>;
  /** Told when an object is let go with something left at the API. */
  readonly onAbandoned: (object: KubeObject, left: readonly string[]) => void;
}

/** Does what the plan says: at most one call to one of the two APIs. */
export async function act(object: Organization, plan: Plan, using: Acting): Promise<Result> {
  switch (plan.do) {
    case 'hold':
    case 'release':
    case 'abandon': {
      const rest = othersOf(object);
      const isWritten = await using.writeFinalizers(object, plan.do === 'hold' ? [...rest, FINALIZER] : rest);
      if (!isWritten) return { got: 'nothing' };
      if (plan.do === 'abandon') using.onAbandoned(object, plan.left.map(withPlace));
      return { got: 'finalizers' };
    }
    case 'step':
      return takeStep(object, plan, using);
    case 'nothing':
    case 'refuse-spec':
    case 'suspend':
    case 'yield':
    case 'preview':
    case 'reschedule':
      return { got: 'nothing' };
  }
}

async function takeStep(object: Organization, plan: Extract<Plan, { do: 'step' }>, using: Acting): Promise<Result> {
  const { work } = plan;
  const wish = {
    object,
    ref: work.spec.credentialsSecretRef,
    target: work.spec.organizationId,
    lane: work.lane,
    probe: work.probe,
  };
  switch (plan.step) {
    case 'intend':
      return reserve(wish, using);
    case 'read':
    case 'send': {
      const { segments } = work;
      const { body } = plan;
      const write = plan.step === 'send' || plan.reads === 'name';
      const leaves = (begin: NonNullable<ApiRequest['begin']>) => (): ReturnType<typeof begin> => {
        const objection = begin();
        if (!objection && plan.step === 'send') forgetUnsent(using.memos, object);
        return objection;
      };
      return attempt(
        {
          ...wish,
          write,
          send: (credential, begin) =>
            patchOrganization(using.api, { segments, body }, { credential, begin: leaves(begin) }),
        },
        using,
      );
    }
    case 'judge':
    case 'wait':
      return { got: 'nothing' };
  }
}

/** From its first byte on, nobody can say of an intent that it never left. */
function forgetUnsent(memos: Memos, object: Organization): void {
  const { unsent: _, ...rest } = memos.of(object);
  memos.set(object, rest);
}

function withPlace(tuple: Tuple): string {
  return `${tuple.id} (${placeOf(tuple)})`;
}

function othersOf({ metadata }: Organization): string[] {
  return (metadata.finalizers ?? []).filter((finalizer) => finalizer !== FINALIZER);
}
