import { credentialsSecretRef } from '../../kinds/schema/spec-fields.ts';
import { missingSecret, unusableSecret } from '../../kinds/shared/credentials.ts';
import { keyPairIn, type SecretRef } from '../../kube/key-pair.ts';
import type { SecretObject } from '../../kube/secrets.ts';
import { inBatches, type Kubectl } from '../kubectl.ts';
import { type Found, shortNameOf } from '../objects.ts';
import { counted } from '../words.ts';
import { type Finding, fine, problem, seen } from './findings.ts';

/** A choice of keys of a Secret, and the objects that make it. */
export interface SecretUse {
  readonly namespace: string;
  readonly name: string;
  readonly ref: SecretRef;
  readonly objects: readonly Found[];
}

export function secretUses(found: readonly Found[]): readonly SecretUse[] {
  const uses = found.flatMap((one): readonly SecretUse[] => {
    const { namespace } = one.object.metadata;
    const spec = (one.object.spec ?? {}) as { readonly credentialsSecretRef?: unknown };
    const ref = credentialsSecretRef.safeParse(spec.credentialsSecretRef).data;
    return ref ? [{ namespace, name: ref.name, ref, objects: [one] }] : [];
  });
  const same = Map.groupBy(uses, ({ namespace, ref: { name, keyIdKey, keySecretKey } }) =>
    JSON.stringify([namespace, name, keyIdKey, keySecretKey]),
  );
  return [...same.values()].flatMap((some) => {
    const [first] = some;
    return first ? [{ ...first, objects: some.flatMap(({ objects }) => objects) }] : [];
  });
}

/**
 * Judged as the operator does, by its own function; a value is seen by nothing else and kept
 * nowhere.
 */
export async function checkSecrets(
  kubectl: Kubectl,
  uses: readonly SecretUse[],
): Promise<readonly Finding[]> {
  const places = [...Map.groupBy(uses, ({ namespace }) => namespace)];
  const findings = await inBatches(places, ([namespace, some]) =>
    seen(`The Secrets of namespace ${namespace}`, () => ofNamespace(kubectl, namespace, some)),
  );
  return findings.flat();
}

async function ofNamespace(
  kubectl: Kubectl,
  namespace: string,
  uses: readonly SecretUse[],
): Promise<readonly Finding[]> {
  const names = [...new Set(uses.map(({ name }) => name))];
  const args = ['secrets', ...names, '-n', namespace, '--ignore-not-found'];
  const secrets = await kubectl.get<SecretObject>(args);
  const problems = uses.flatMap((use) => {
    const secret = secrets.find(({ metadata }) => metadata.name === use.name);
    const wrong = problemOf(use, secret);
    const [first, ...more] = use.objects.map(shortNameOf);
    const who = more.length === 0 ? first : `${first} and ${more.length} more`;
    return wrong === undefined ? [] : [problem(`${wrong} (used by ${who} in ${namespace})`)];
  });
  if (problems.length > 0) return problems;
  return [fine(`${counted(names.length, 'Secret')} of namespace ${namespace} can be used`)];
}

function problemOf(
  { namespace, name, ref }: SecretUse,
  secret: SecretObject | undefined,
): string | undefined {
  if (!secret) return missingSecret(namespace, ref);
  const pair = keyPairIn(secret, ref);
  return typeof pair === 'string' ? unusableSecret(name, pair) : undefined;
}
