import { acceptMetadata } from '../cache/list.ts';
import { getObject, type KubeClient } from '../client/client.ts';
import { isForbidden, KubeError } from '../client/kube-error.ts';
import { missingRule } from '../client/missing-rule.ts';
import { type KubeObject, objectPath } from '../resource.ts';
import { SECRET, type SecretObject, type SecretRead, valueOf } from './secret-state.ts';

const GET_TIMEOUT_MS = 10_000;
const ABSENT = { state: 'absent' } as const;

/** Says why a Secret must not be used, by its metadata alone. */
export type Objection = (secret: KubeObject) => string | undefined;

/**
 * One GET of a Secret; `keys` is looked at when the answer is there, what else it holds is dropped.
 * With an objection one of its metadata comes first: what must not be used is not read. Failures
 * are values.
 */
export async function getSecret(
  client: KubeClient,
  namespace: string,
  name: string,
  keys: ReadonlySet<string>,
  objectionTo?: Objection,
): Promise<SecretRead> {
  const path = objectPath(SECRET, namespace, name);
  const limits = { timeoutMs: GET_TIMEOUT_MS };
  const refused = (secret: KubeObject): SecretRead | undefined => {
    const message = objectionTo?.(secret);
    return message === undefined ? undefined : { state: 'forbidden', message };
  };
  try {
    if (objectionTo) {
      const accept = acceptMetadata('PartialObjectMetadata');
      const metadata = await getObject<KubeObject>(client, path, { ...limits, accept });
      const refusal = metadata ? refused(metadata) : ABSENT;
      if (refusal) return refusal;
    }
    const secret = await getObject<SecretObject>(client, path, limits);
    return secret ? (refused(secret) ?? valueOf(secret, keys)) : ABSENT;
  } catch (error) {
    if (isForbidden(error))
      return { state: 'forbidden', message: secretRule(error, 'get', namespace, name) };
    if (error instanceof KubeError) return { state: 'failed', error };
    throw error;
  }
}

/** What to say of a 403 on a Secret. */
export function secretRule(
  error: KubeError,
  verb: string,
  namespace: string,
  name: string,
): string {
  return missingRule({
    error,
    verb,
    group: '',
    resource: 'secrets',
    namespace,
    name,
    needs: ['get', 'list', 'watch'],
  });
}
