import { getObject, type KubeClient } from '../client/client.ts';
import { isForbidden, KubeError } from '../client/kube-error.ts';
import { missingRule } from '../client/missing-rule.ts';
import { objectPath } from '../resource.ts';
import { SECRET, type SecretObject, type SecretRead, valueOf } from './secret-state.ts';

const GET_TIMEOUT_MS = 10_000;

/**
 * One GET of a Secret; `keys` is looked at when the answer is there, what else it holds is dropped.
 * Failures are values.
 */
export async function getSecret(
  client: KubeClient,
  namespace: string,
  name: string,
  keys: ReadonlySet<string>,
): Promise<SecretRead> {
  const path = objectPath(SECRET, namespace, name);
  try {
    const secret = await getObject<SecretObject>(client, path, { timeoutMs: GET_TIMEOUT_MS });
    return secret ? valueOf(secret, keys) : { state: 'absent' };
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
