import type { Draw } from '../engine/draw.ts';
import { kindOf } from '../kubernetes/kinds.ts';
import { secretText, unusableSecret } from '../life/canaries.ts';
import type { Life } from '../life/life.ts';
import type { SecretDraft } from '../life/world.ts';
import type { Act } from './act.ts';

const SECRETS = kindOf('secrets');

/** What becomes of API keys, in the Secrets that hold them and at the API. */
export const secretActs: readonly Act[] = [
  {
    name: 'secret gone',
    means: 'secrets',
    weight: 1,
    perform: (life, draw) => {
      const namespace = draw.pick(life.world.namespaces);
      if (!life.kube.objects.get(SECRETS, namespace, 'api')) return undefined;
      life.kube.as('user').delete(SECRETS, namespace, 'api');
      return `a user deletes the Secret ${namespace}/api`;
    },
  },
  {
    name: 'secret changes',
    means: 'secrets',
    weight: 4,
    perform: (life, draw) => {
      const { namespace, keyId, right } = aKey(life, draw);
      const kind = draw.weighted({ right: 50, wrong: 25, half: 10, stolen: 15 });
      const stolen = draw.pick([...life.keys.keys()]);
      const isHalf = kind === 'half' && draw.of('half').chance(0.3);
      putSecret(life, {
        namespace,
        name: 'api',
        keyId: kind === 'stolen' ? stolen : keyId,
        secret:
          kind === 'right'
            ? right
            : kind === 'half' && !isHalf
              ? unusableSecret(draw)
              : secretText(draw),
        style: isHalf ? 'half' : 'plain',
      });
      const what = {
        right: 'the right key',
        wrong: 'a wrong secret',
        half: isHalf ? 'only half of a key' : 'what no key can be',
        stolen: 'the key id of somebody with a secret of its own',
      };
      return `a user writes ${what[kind]} into the Secret ${namespace}/api`;
    },
  },
  {
    name: 'spare secret',
    means: 'spare secrets',
    weight: 8,
    perform: (life, draw) => {
      const { namespace, keyId, right } = aKey(life, draw);
      if (life.kube.objects.get(SECRETS, namespace, 'spare') && draw.chance(0.3)) {
        life.kube.as('user').delete(SECRETS, namespace, 'spare');
        return `a user deletes the Secret ${namespace}/spare`;
      }
      const isRight = draw.chance(0.7);
      const secret = isRight ? right : secretText(draw);
      putSecret(life, { namespace, name: 'spare', keyId, secret, style: 'plain' });
      return `a user writes ${isRight ? 'the right key' : 'a wrong secret'} into the Secret ${namespace}/spare`;
    },
  },
  {
    name: 'key rotates',
    means: 'keys',
    weight: 2,
    perform: (life, draw) => {
      const { namespace, keyId } = aKey(life, draw);
      const secret = secretText(draw);
      const newForMs = draw.chance(0.4) ? 120_000 : 0;
      life.setKey(keyId, secret, { newForMs, newStatus: draw.pick([401, 404] as const) });
      const laterMs = draw.pick([0, 2_000, 60_000]);
      life.after(laterMs, () =>
        putSecret(life, { namespace, name: 'api', keyId, secret, style: 'plain' }),
      );
      const slow = newForMs > 0 ? ', which the API does not know for two minutes' : '';
      return `the key of ${namespace} gets another secret${slow}; the Secret ${namespace}/api follows ${laterMs} ms later`;
    },
  },
  {
    name: 'key off',
    means: 'keys',
    weight: 3,
    perform: (life, draw) => {
      const [keyId, key] = draw.pick([...life.keys]);
      const off = draw.pick([{ disabled: true }, { readOnly: true }, { organizations: [] }]);
      const seconds = draw.pick([5, 45, 300, 1_200]);
      life.setKey(keyId, key.secret, off);
      life.after(seconds * 1_000, () =>
        life.setKey(keyId, life.keys.get(keyId)?.secret ?? key.secret, {}),
      );
      return `the API takes the key of ${namespaceOf(life, keyId)} no more (${Object.keys(off).join()}), for ${seconds} s`;
    },
  },
];

/** The key of one of the namespaces, as the API has it now. */
function aKey(
  life: Life,
  draw: Draw,
): { readonly namespace: string; readonly keyId: string; readonly right: string } {
  const namespace = draw.pick(life.world.namespaces);
  const { namespaces, keys } = life.world;
  const keyId = keys[namespaces.indexOf(namespace)]?.id ?? '';
  const key = life.keys.get(keyId);
  if (!key) throw new Error(`the API has no key of ${namespace}`);
  return { namespace, keyId, right: key.secret };
}

function namespaceOf({ world: { namespaces, keys } }: Life, keyId: string): string {
  return namespaces[keys.findIndex(({ id }) => id === keyId)] ?? 'nobody';
}

/** Writes a Secret as its draft says, whether or not it is there. */
export function putSecret(life: Life, draft: SecretDraft): void {
  const { namespace, name } = draft;
  const content = contentOf(draft);
  life.noteSecret(draft);
  const hand = life.kube.as('user');
  const stored = hand.get(SECRETS, namespace, name);
  if (stored && stored.type === content.type) {
    hand.edit(SECRETS, namespace, name, (thing) => ({ ...thing, ...content }));
    return;
  }
  // The type of a Secret cannot be changed.
  if (stored) hand.delete(SECRETS, namespace, name);
  hand.create(SECRETS, namespace, { metadata: { name }, ...content });
}

function contentOf({ keyId, secret, style }: SecretDraft): {
  readonly type: string;
  readonly data: object;
} {
  switch (style) {
    case 'plain':
      return { type: 'Opaque', data: { keyId: encoded(keyId), keySecret: encoded(secret) } };
    case 'line end':
      return {
        type: 'Opaque',
        data: { keyId: encoded(`${keyId}\n`), keySecret: encoded(`${secret}\r\n`) },
      };
    case 'basic-auth':
      return {
        type: 'kubernetes.io/basic-auth',
        data: { username: encoded(keyId), password: encoded(secret) },
      };
    case 'half':
      return { type: 'Opaque', data: { keyId: encoded(keyId) } };
  }
}

function encoded(text: string): string {
  return Buffer.from(text).toString('base64');
}
