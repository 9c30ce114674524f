import type { Credential } from '../../api/reply/reply.ts';
import {
  credentialIn,
  keysOf,
  type SecretRef,
  unusableSecret,
} from '../../kinds/engine/credentials.ts';
import { objectPath } from '../../kube/resource.ts';
import { SECRET, type SecretObject, valueOf } from '../../kube/secrets/secret-state.ts';
import type { Kubectl } from '../cluster/kubectl.ts';
import type { Context } from '../command.ts';
import { UserError } from '../user-error.ts';

/** The API key of one call, and where it is from, for a sentence. */
export interface Key {
  readonly credential: Credential;
  readonly from: string;
}

const VARIABLES = { keyIdKey: 'PIPEWRIGHT_KEY_ID', keySecretKey: 'PIPEWRIGHT_KEY_SECRET' };

/** Read and judged as the operator does. Throws UserError, which never has a value of it. */
export async function keyInSecret(
  kubectl: Kubectl,
  ref: SecretRef,
  { namespace, baseUrl }: { readonly namespace: string; readonly baseUrl: string },
): Promise<Key> {
  const secret = await kubectl.find<SecretObject>(objectPath(SECRET, namespace, ref.name));
  if (!secret)
    throw new UserError(
      `the Secret ${JSON.stringify(ref.name)} does not exist in namespace ${JSON.stringify(namespace)}; create it with the id and the secret of the API key, or name another one with --secret and -n`,
    );
  const read = credentialIn(valueOf(secret, new Set(keysOf(ref))), ref, baseUrl);
  if ('problem' in read) throw new UserError(unusableSecret(ref.name, read.problem));
  return {
    credential: read.credential,
    from: `the Secret ${JSON.stringify(ref.name)} in namespace ${JSON.stringify(namespace)}`,
  };
}

export function keyInEnvironment(env: Context['env'], baseUrl: string): Key {
  const names = Object.values(VARIABLES);
  const missing = names.filter((name) => (env[name] ?? '') === '');
  if (missing.length > 0)
    throw new UserError(
      `there is no API key: name the Secret that holds it with --secret, or set ${missing.join(' and ')} in the environment`,
    );
  const data = names.map((name) => [name, Buffer.from(env[name] ?? '').toString('base64')]);
  const value = {
    state: 'present',
    resourceVersion: '',
    type: 'Opaque',
    data: Object.fromEntries(data) as Record<string, string>,
    keyNames: names,
    keyCount: names.length,
  } as const;
  const read = credentialIn(value, { name: '', ...VARIABLES }, baseUrl);
  if ('problem' in read)
    throw new UserError(`The API key in the environment cannot be used: ${read.problem}`);
  return { credential: read.credential, from: `the environment (${names.join(' and ')})` };
}
