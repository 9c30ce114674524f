import type { ApiClient } from '../../api/client.ts';
import { type Attempt, type Attempting, attempt } from '../attempt.ts';
import { targetOf } from './load.ts';
import type { Plan } from './plan.ts';
import { putSettings } from './remote.ts';
import type { PipeSettings } from './resource.ts';

/** What came of a plan. */
export type Result = Attempt | { readonly got: 'nothing' };

/** Does what the plan says: at most one PUT, and nothing else has an effect. */
export async function act(
  object: PipeSettings,
  plan: Plan,
  using: Attempting & { readonly api: ApiClient },
): Promise<Result> {
  switch (plan.do) {
    case 'put':
      return attempt(
        {
          object,
          ref: plan.spec.credentialsSecretRef,
          target: targetOf(object) ?? object.metadata.uid,
          lane: plan.lane,
          probe: plan.probe,
          write: true,
          send: (credential, begin) => putSettings(using.api, plan.request, { credential, begin }),
        },
        using,
      );
    case 'nothing':
    case 'refuse-spec':
    case 'suspend':
    case 'yield':
    case 'preview':
    case 'reschedule':
      return { got: 'nothing' };
  }
}
