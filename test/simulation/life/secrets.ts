import { kindOf } from '../kubernetes/kinds.ts';
import type { Life } from './life.ts';

/** What a user writes into a Secret. */
export interface SecretDraft {
  readonly namespace: string;
  readonly name: string;
  readonly id: string;
  readonly secret: string;
}

const SECRETS = kindOf('secrets');

/** Writes a Secret, whether or not it is there. */
export function putSecret(life: Life, { namespace, name, id, secret }: SecretDraft): void {
  life.secrets.add(id).add(secret);
  const hand = life.kube.as('user');
  const content = { type: 'Opaque', data: { keyId: encoded(id), keySecret: encoded(secret) } };
  if (hand.get(SECRETS, namespace, name))
    hand.edit(SECRETS, namespace, name, (thing) => ({ ...thing, ...content }));
  else hand.create(SECRETS, namespace, { metadata: { name }, ...content });
}

export function dropSecret(life: Life, namespace: string, name: string): boolean {
  if (!life.stored('secrets', namespace, name)) return false;
  life.kube.as('user').delete(SECRETS, namespace, name);
  return true;
}

function encoded(text: string): string {
  return Buffer.from(text).toString('base64');
}
