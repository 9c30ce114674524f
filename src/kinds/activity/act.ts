import type { ApiClient } from '../../api/http/client.ts';
import { type Attempt, type Attempting, attempt } from '../engine/api-call.ts';
import type { Plan } from './plan.ts';
import { getActivity } from './remote.ts';
import type { Activity } from './resource.ts';

/** What came of a plan. */
export type Result = Attempt | { readonly got: 'nothing' };

/** Does what the plan says: at most one GET, and nothing else has an effect. */
export async function act(
  object: Activity,
  plan: Plan,
  using: Attempting & { readonly api: ApiClient },
): Promise<Result> {
  switch (plan.do) {
    case 'fetch':
      return attempt(
        {
          object,
          ref: plan.spec.credentialsSecretRef,
          // Reading disturbs nobody: two objects with one record need not wait for one another.
          target: object.metadata.uid,
          lane: plan.lane,
          probe: plan.probe,
          write: false,
          of: 'record',
          send: (credential, begin) => getActivity(using.api, plan.spec, { credential, begin }),
        },
        using,
      );
    case 'nothing':
    case 'refuse-spec':
    case 'suspend':
    case 'keep':
    case 'reschedule':
      return { got: 'nothing' };
  }
}
