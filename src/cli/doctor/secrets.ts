import {
  credentialIn,
  keysOf,
  type SecretRef,
  unusableSecret,
} from '../../kinds/engine/credentials.ts';
import { credentialsSecretRef } from '../../kinds/schema/spec-fields.ts';
import { readyOf } from '../../kinds/status/common-status.ts';
import { notSelected } from '../../kube/secrets/label-match.ts';
import { type SecretObject, valueOf } from '../../kube/secrets/secret-state.ts';
import type { Kubectl } from '../cluster/kubectl.ts';
import type { Found } from '../cluster/objects.ts';
import type { Shell } from '../shell.ts';
import { statusOf } from '../standing.ts';
import { operatorOf, type Working } from './coverage.ts';
import { createKeyCommand, putKeyCommand } from './keys.ts';
import { attempt, type Report } from './report.ts';
import { labelsFor } from './selector-labels.ts';
import { grouped, objectsNamed, quoted } from './words.ts';

/** A choice of keys of a Secret, and the objects that make it. */
export interface SecretUse {
  readonly namespace: string;
  readonly name: string;
  readonly ref: SecretRef;
  readonly objects: readonly Found[];
}

export function secretUses(objects: readonly Found[]): readonly SecretUse[] {
  const referring = objects.flatMap((found) => {
    const ref = refOf(found);
    return ref ? [{ found, ref, namespace: found.object.metadata.namespace }] : [];
  });
  const uses = grouped(referring, ({ namespace, ref: { name, keyIdKey, keySecretKey } }) =>
    JSON.stringify([namespace, name, keyIdKey, keySecretKey]),
  );
  return uses.flatMap((use) => {
    const [first] = use;
    if (!first) return [];
    const { namespace, ref } = first;
    return [{ namespace, name: ref.name, ref, objects: use.map(({ found }) => found) }];
  });
}

/** A CRD of another version may have let in anything, and its parts get into commands. */
function refOf({ object }: Found): SecretRef | undefined {
  const { credentialsSecretRef: ref } = (object.spec ?? {}) as {
    readonly credentialsSecretRef?: unknown;
  };
  return credentialsSecretRef.safeParse(ref).data;
}

export interface SecretsCheck {
  readonly kubectl: Kubectl;
  readonly report: Report;
  readonly shell: Shell;
  readonly operators: readonly Working[];
}

/**
 * Judges the Secrets as the operator does, by its own function; their values are seen by nothing
 * else and kept nowhere. Where the user may not read them, the objects tell what the operator
 * found. Gives the types of the Secrets, by `namespace/name`.
 */
export async function checkSecrets(
  uses: readonly SecretUse[],
  check: SecretsCheck,
): Promise<ReadonlyMap<string, string>> {
  const types = new Map<string, string>();
  if (uses.length > 0) check.report.made('secrets');
  for (const ofNamespace of grouped(uses, ({ namespace }) => namespace)) {
    const namespace = ofNamespace[0]?.namespace ?? '';
    const read = await attempt(() => readSecrets(check.kubectl, ofNamespace));
    if ('refusal' in read) {
      const why = `The Secrets of namespace ${namespace} could not be read, so what the objects say of them is all that is known: ${read.refusal.message}`;
      check.report.cannot('secrets', why);
      for (const use of ofNamespace) judgeByStatus(use, check);
      continue;
    }
    for (const secret of read.value.values())
      types.set(`${namespace}/${secret.metadata.name}`, secret.type ?? 'Opaque');
    for (const use of ofNamespace) judgeSecret(use, read.value.get(use.name), check);
  }
  return types;
}

/** Of one kubectl, so that its command line stays short. */
const NAMES_AT_ONCE = 200;

async function readSecrets(
  kubectl: Kubectl,
  uses: readonly SecretUse[],
): Promise<Map<string, SecretObject>> {
  const names = [...new Set(uses.map(({ name }) => name))];
  const namespace = uses[0]?.namespace ?? '';
  const found = new Map<string, SecretObject>();
  for (let at = 0; at < names.length; at += NAMES_AT_ONCE) {
    // Always two names, or kubectl prints the object itself and no list.
    const some = [...names.slice(at, at + NAMES_AT_ONCE), names[0] ?? ''];
    const args = ['-n', namespace, 'get', 'secrets', ...some, '--ignore-not-found', '-o', 'json'];
    const text = await kubectl.succeed(args);
    if (text.trim() === '') continue;
    const { items } = JSON.parse(text) as { readonly items: readonly SecretObject[] };
    for (const secret of items) found.set(secret.metadata.name, secret);
  }
  return found;
}

function judgeSecret(
  use: SecretUse,
  secret: SecretObject | undefined,
  { report, shell, operators }: SecretsCheck,
): void {
  const { namespace, name, ref, objects } = use;
  const object = `secret/${name} in namespace ${namespace}`;
  const problem = problemOf(use, secret);
  const who = `${objectsNamed(objects)} ${objects.length === 1 ? 'refers' : 'refer'} to it.`;
  if (problem) {
    const repair = secret
      ? putKeyCommand({ namespace, ref, type: secret.type }, shell)
      : createKeyCommand({ namespace, ref }, shell);
    const says = `${quoted(problem)}. ${who} ${repair.says}`;
    report.find({ check: 'secrets', object, says, command: repair.command });
    return;
  }
  const operator = objects
    .map((one) => operatorOf(one, operators))
    .find((one) => one && one.works.secretSelector !== '');
  const selector = operator?.works.secretSelector;
  const refusal = secret && selector && notSelected(secret, selector);
  if (!refusal) return;
  const labels = labelsFor(selector);
  const finding = {
    check: 'secrets' as const,
    object,
    says: `${refusal}. ${who}`,
    ...(labels && {
      command: shell.kubectl('-n', namespace, 'label', 'secret', name, ...labels, '--overwrite'),
    }),
  };
  report.find(finding, operator);
}

/** Of the operator's own judgement only the problem is kept. */
function problemOf(
  { namespace, name, ref }: SecretUse,
  secret: SecretObject | undefined,
): string | undefined {
  if (!secret)
    return `The Secret ${JSON.stringify(name)} does not exist in namespace ${JSON.stringify(namespace)}`;
  const read = credentialIn(valueOf(secret, new Set(keysOf(ref))), ref, '');
  return 'problem' in read ? unusableSecret(name, read.problem) : undefined;
}

const OF_SECRETS = new Set(['SecretNotFound', 'SecretInvalid']);

function judgeByStatus(use: SecretUse, { report, shell }: SecretsCheck): void {
  const { namespace, name, ref } = use;
  const waiting = use.objects.filter((one) => OF_SECRETS.has(readyOf(statusOf(one))?.reason ?? ''));
  const ready = waiting[0] && readyOf(statusOf(waiting[0]));
  if (!ready) return;
  const repair =
    ready.reason === 'SecretNotFound'
      ? createKeyCommand({ namespace, ref }, shell)
      : putKeyCommand({ namespace, ref }, shell);
  report.find({
    check: 'secrets',
    object: `secret/${name} in namespace ${namespace}`,
    says: `${quoted(ready.message)}. ${objectsNamed(waiting)} ${waiting.length === 1 ? 'says' : 'say'} so. ${repair.says}`,
    command: repair.command,
  });
}
