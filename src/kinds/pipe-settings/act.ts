import type { ApiClient } from '../../api/http/client.ts';
import { type Attempt, type Attempting, attempt, type Wish } from '../engine/api-call.ts';
import type { Unsettled } from '../target/unsettled.ts';
import { targetOf } from './load.ts';
import type { Plan } from './plan.ts';
import { putSettings } from './remote.ts';
import type { PipeSettings } from './resource.ts';

export type Acting = Attempting & {
  readonly api: ApiClient;
  readonly unsettled: Pick<Unsettled, 'add'>;
};

/** What came of a plan. */
export type Result = Attempt | { readonly got: 'nothing' };

/** Does what the plan says: at most one PUT, and nothing else has an effect. */
export async function act(object: PipeSettings, plan: Plan, using: Acting): Promise<Result> {
  switch (plan.do) {
    case 'put':
      return put(object, plan, using);
    case 'nothing':
    case 'refuse-spec':
    case 'suspend':
    case 'yield':
    case 'preview':
    case 'reschedule':
      return { got: 'nothing' };
  }
}

async function put(
  object: PipeSettings,
  plan: Extract<Plan, { do: 'put' }>,
  using: Acting,
): Promise<Attempt> {
  let sentAt = using.monotonic();
  const wish: Wish = {
    object,
    ref: plan.spec.credentialsSecretRef,
    target: targetOf(object) ?? object.metadata.uid,
    lane: plan.lane,
    probe: plan.probe,
    write: true,
    of: 'pipe',
    send(credential, begin) {
      const leave = (): ReturnType<typeof begin> => {
        sentAt = using.monotonic();
        return begin();
      };
      return putSettings(using.api, plan.request, { credential, begin: leave });
    },
  };
  const got = await attempt(wish, using);
  if (got.got === 'failure' && got.verdict.outcome === 'Unknown')
    using.unsettled.add(object, plan.request.hash, sentAt);
  return got;
}
