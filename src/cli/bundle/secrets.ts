import { secretNameOf } from '../../kinds/status/tried-secret.ts';
import { ANYWHERE_FROM, type Redactor } from '../../redaction.ts';
import type { Kubectl } from '../cluster/kubectl.ts';
import type { Found } from '../cluster/objects.ts';
import type { Missing } from './missing.ts';

/** How many are read at once. */
const AT_ONCE = 8;
/** More values than a key has are not tried in pairs, as HTTP joins an id and a secret. */
const MOST_PAIRED = 6;

interface SecretObject {
  readonly data?: Readonly<Record<string, string>>;
}

/** `namespace/name` of each Secret that the objects refer to, in order. */
export function referredSecrets(found: readonly Found[]): string[] {
  const names = found.flatMap(({ object }) => {
    const name = secretNameOf(object);
    return name === undefined ? [] : [`${object.metadata.namespace}/${name}`];
  });
  return [...new Set(names)].sort();
}

/**
 * Lets the redactor look for all values of these Secrets; gives those that it knows now. What is
 * read here goes nowhere else.
 */
export async function guardSecrets(
  kubectl: Kubectl,
  secrets: readonly string[],
  { redactor, missing }: { readonly redactor: Redactor; readonly missing: Missing },
): Promise<string[]> {
  const known: string[] = [];
  const waiting = secrets.values();
  const readThem = async (): Promise<void> => {
    for (const secret of waiting) {
      const values = await missing.unless(
        `the values of the Secret ${secret} (so they are not masked: look for them before you send this)`,
        () => valuesOf(kubectl, secret),
      );
      if (!values) continue;
      // Of such a value the redactor hides no more than its base64 and hex.
      if (values.some(({ length }) => length > 0 && length < ANYWHERE_FROM))
        missing.add(
          `the mask of a value of the Secret ${secret}`,
          `it has fewer than ${ANYWHERE_FROM} characters, and too much else looks like it`,
        );
      redactor.add([...values, ...pairsOf(values)]);
      known.push(secret);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, readThem));
  return known.sort();
}

/** None where there is no such Secret. */
async function valuesOf(kubectl: Kubectl, secret: string): Promise<string[]> {
  const [namespace = '', name = ''] = secret.split('/').map(encodeURIComponent);
  const path = `/api/v1/namespaces/${namespace}/secrets/${name}`;
  const { data = {} } = (await kubectl.find<SecretObject>(path)) ?? {};
  const values = Object.values(data).flatMap((encoded) => {
    const text = Buffer.from(encoded, 'base64').toString('utf8');
    // The operator uses a value without the line ends at its end.
    return [text, text.trimEnd()];
  });
  return [...new Set(values)];
}

function pairsOf(values: readonly string[]): string[] {
  if (values.length > MOST_PAIRED) return [];
  return values.flatMap((id) => values.map((secret) => `${id}:${secret}`));
}
