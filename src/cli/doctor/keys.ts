import { keyNames, type SecretRef } from '../../kinds/engine/credentials.ts';
import type { Shell } from './shell.ts';

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

const SAYS =
  'Set PIPEWRIGHT_KEY_ID and PIPEWRIGHT_KEY_SECRET to the key pair before you run the command.';

/** Makes the Secret, with the key pair of the two variables. */
export function createKeyCommand(place: KeyPlace, shell: Shell): KeyCommand {
  return { says: SAYS, command: create(place, [], shell) };
}

/**
 * Puts the key pair into a Secret that is there, whatever else it holds. By a manifest and not by a
 * patch made in the shell: the pair may hold quotes.
 */
export function putKeyCommand(place: KeyPlace, shell: Shell): KeyCommand {
  const manifest = create(place, ['--dry-run=client', '-o', 'yaml'], shell);
  return { says: SAYS, command: shell.applied(manifest) };
}

/** The secret goes through a pipe: the arguments of a program are seen by every user. */
function create({ namespace, ref, type }: KeyPlace, more: string[], shell: Shell): string {
  const { keyId, keySecret } = keyNames(ref, type);
  // It cannot be changed once the Secret is there.
  const ofType = type === undefined || type === 'Opaque' ? [] : [`--type=${type}`];
  const values = [
    { before: `--from-literal=${keyId}=`, variable: 'PIPEWRIGHT_KEY_ID' },
    `--from-file=${keySecret}=/dev/stdin`,
  ];
  const secret = ['create', 'secret', 'generic', ref.name];
  const made = shell.kubectl('-n', namespace, ...secret, ...ofType, ...values, ...more);
  return `printf %s "$PIPEWRIGHT_KEY_SECRET" | ${made}`;
}
