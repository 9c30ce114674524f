import { keyNames, type SecretRef } from '../../kinds/engine/credentials.ts';
import type { Shell } from '../shell.ts';

/** Where a key pair belongs. */
export interface KeyPlace {
  readonly namespace: string;
  readonly ref: SecretRef;
  /** Of the Secret that is there, where that is known. */
  readonly type?: string | undefined;
}

/** What to do before the command is run, and the command. */
export interface KeyCommand {
  readonly says: string;
  readonly command: string;
}

const ID = 'PIPEWRIGHT_KEY_ID';
const SECRET = 'PIPEWRIGHT_KEY_SECRET';
/** An empty key would take the place of the one that is there. */
const SET = `[ -n "$${ID}" ] && [ -n "$${SECRET}" ]`;

const SAYS =
  'Set PIPEWRIGHT_KEY_ID and PIPEWRIGHT_KEY_SECRET to the key pair before you run the command.';

/** Makes the Secret, with the key pair of the two variables. */
export function createKeyCommand(place: KeyPlace, shell: Shell): KeyCommand {
  return { says: SAYS, command: create(place, shell) };
}

/**
 * Puts the key pair into a Secret that is there, and leaves what else it holds. In base64, as the
 * pair may hold quotes.
 */
export function putKeyCommand({ namespace, ref, type }: KeyPlace, shell: Shell): KeyCommand {
  const { keyId, keySecret } = keyNames(ref, type);
  const inBase64 = (variable: string): string =>
    `"$(printf %s "$${variable}" | base64 | tr -d '\\n')"`;
  const patch = ['patch', 'secret', ref.name, '--type=merge', '--patch-file=/dev/stdin'];
  const made = `printf '{"data":{"${keyId}":"%s","${keySecret}":"%s"}}' ${inBase64(ID)} ${inBase64(SECRET)}`;
  return { says: SAYS, command: `${SET} && ${made} | ${shell.kubectl('-n', namespace, ...patch)}` };
}

/** The secret goes through a pipe: the arguments of a program are seen by every user. */
function create({ namespace, ref, type }: KeyPlace, shell: Shell): string {
  const { keyId, keySecret } = keyNames(ref, type);
  // It cannot be changed once the Secret is there.
  const ofType = type === undefined || type === 'Opaque' ? [] : [`--type=${type}`];
  const values = [
    { before: `--from-literal=${keyId}=`, variable: ID },
    `--from-file=${keySecret}=/dev/stdin`,
  ];
  const secret = ['create', 'secret', 'generic', ref.name];
  const made = shell.kubectl('-n', namespace, ...secret, ...ofType, ...values);
  return `${SET} && printf %s "$${SECRET}" | ${made}`;
}
