import type { KubeClient } from './client.ts';
import { isForbidden, KubeError } from './kube-error.ts';

/** What Kubernetes says of a token's holder; `unknown` where it does not, with what to answer. */
export type TokenStanding =
  | { readonly is: 'allowed' | 'unauthenticated' }
  | { readonly is: 'forbidden'; readonly user: string }
  | { readonly is: 'unknown'; readonly status: 500 | 503; readonly why: string };

/** Of each of the two; who scrapes waits for 10 s. */
const REVIEW_MS = 3_000;
const MISSING_RULES =
  'the operator may not ask Kubernetes who this is and what it may do; add to a ClusterRole bound to the ServiceAccount of the operator the rules {apiGroups: ["authentication.k8s.io"], resources: ["tokenreviews"], verbs: ["create"]} and {apiGroups: ["authorization.k8s.io"], resources: ["subjectaccessreviews"], verbs: ["create"]}';

interface TokenReview {
  readonly status?: {
    readonly authenticated?: boolean;
    readonly user?: {
      readonly username?: string;
      readonly uid?: string;
      readonly groups?: readonly string[];
      readonly extra?: Readonly<Record<string, readonly string[]>>;
    };
  };
}

interface SubjectAccessReview {
  readonly status?: { readonly allowed?: boolean; readonly denied?: boolean };
}

/**
 * Whether the holder of this token may get this path, by the API server's own word: a TokenReview
 * for its audience, then a SubjectAccessReview. Never throws for what the API server answers or
 * fails to.
 */
export async function reviewToken(
  client: KubeClient,
  token: string,
  path: string,
): Promise<TokenStanding> {
  try {
    const { status: known } = await create<TokenReview>(client, {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenReview',
      spec: { token },
    });
    if (known?.authenticated !== true || !known.user?.username) return { is: 'unauthenticated' };
    const { username: user, uid, groups, extra } = known.user;
    const { status: right } = await create<SubjectAccessReview>(client, {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      spec: { user, uid, groups, extra, nonResourceAttributes: { path, verb: 'get' } },
    });
    const isAllowed = right?.allowed === true && right.denied !== true;
    return isAllowed ? { is: 'allowed' } : { is: 'forbidden', user };
  } catch (error) {
    if (!(error instanceof KubeError)) throw error;
    return { is: 'unknown', ...whyUnknown(error) };
  }
}

/** The text of the error stays out: whoever holds any token reads this. */
function whyUnknown(error: KubeError): { status: 500 | 503; why: string } {
  if (isForbidden(error)) return { status: 500, why: MISSING_RULES };
  const what = error.status === 0 ? error.reason : `HTTP ${error.status}`;
  return {
    status: 503,
    why: `the Kubernetes API server does not say who this is and what it may do (${what})`,
  };
}

function create<T>(
  client: KubeClient,
  review: { readonly apiVersion: string; readonly kind: string; readonly spec: unknown },
): Promise<T> {
  const path = `/apis/${review.apiVersion}/${review.kind.toLowerCase()}s`;
  return client.request<T>({ method: 'POST', path, body: review, timeoutMs: REVIEW_MS });
}
