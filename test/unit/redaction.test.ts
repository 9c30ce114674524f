import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createCredentials } from '../../src/kinds/shared/credentials.ts';
import type { SecretObject } from '../../src/kube/secrets.ts';
import { createMask, createRedactor } from '../../src/redaction.ts';
import { anObject } from '../support/kube-server.ts';

/** Whoever may write Secrets makes as many keys as it likes, as long and as alike as it likes. */

const html = (text: string, more: Readonly<Record<string, string>> = {}): string =>
  text
    .replaceAll('&', '&amp;')
    .replace(/[<>"'/`=+]/g, (one) => more[one] ?? `&#x${one.charCodeAt(0).toString(16)};`);

/** How others write a text into theirs. */
const WRITERS: Readonly<Record<string, (text: string) => string>> = {
  'as it is': (text) => text,
  'in JSON': (text) => JSON.stringify(text),
  'in JSON of PHP': (text) => JSON.stringify(text).replaceAll('/', String.raw`\/`),
  'in JSON, all escaped': (text) =>
    text.replace(/./g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`),
  'in a URL': encodeURIComponent,
  'in a URL, all escaped': (text) => Buffer.from(text).toString('hex').replace(/../g, '%$&'),
  'in a form': (text) => new URLSearchParams([['', text]]).toString().slice(1),
  'in HTML': html,
  'in HTML by names': (text) =>
    html(text, { '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' }),
  'in HTML by numbers': (text) => text.replace(/[^a-z0-9]/gi, (one) => `&#0${one.charCodeAt(0)};`),
  'in hexadecimal digits': (text) => Buffer.from(text).toString('hex'),
  'in large ones': (text) => Buffer.from(text).toString('hex').toUpperCase(),
  'in base64': btoa,
  'in base64 for URLs': (text) => Buffer.from(text).toString('base64url'),
};

const printable = fc.string({
  unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
  minLength: 6,
  maxLength: 60,
});

describe.each(Object.entries(WRITERS))('a secret %s', (_, written) => {
  test('is found whatever it is, by mask and log, and the rest of the text stays', () => {
    fc.assert(
      fc.property(printable, (secret) => {
        const redactor = createRedactor();
        redactor.add([secret]);
        const mask = createMask('another-id', secret);
        // Long enough that what is hidden beyond a secret that repeats itself does not take it all.
        const text = `ä${written(secret)}ö${'ü'.repeat(80)}`;
        const quotes = /^["]?/;
        for (const clean of [mask(text), redactor.apply(text)]) {
          expect(clean.slice(1).replace(quotes, '')).toMatch(/^(\*\*\*|\[redacted\])/);
          expect(clean.replace(/\*\*\*|\[redacted\]/g, '')).toMatch(/^[äöü"=]*$/);
          expect(clean).toMatch(/ü$/);
        }
      }),
      { numRuns: 150 },
    );
  });
});

test('a secret that goes on in a way not known is hidden to its end all the same', () => {
  const secret = 'sk-live-7Q2mZx81"vB44nq0';
  const mask = createMask('another-id', secret);
  for (const said of [JSON.stringify(JSON.stringify(secret)), 'sk-live-7Q2mZx81=22vB44nq0'])
    expect(mask(said)).not.toMatch(/vB|44|nq0/);
});

test('a secret of any length is hidden to its end', () => {
  const secret = 'sk-live-7Q2mZx81'.padEnd(20_000, 'vB44nq0');
  const redactor = createRedactor();
  redactor.add([secret]);
  expect(redactor.apply(`no ${secret} here`)).toBe('no [redacted] here');
});

test('a secret that is cut is found by its first 16 characters', () => {
  const mask = createMask('another-id', 'sk-live-7Q2mZx81vB44nq0');
  expect(mask('no sk-live-7Q2mZx81')).toBe('no ***');
});

describe('a key that is broken over lines', () => {
  const secret = 'Xa9Lq0ZpTb6Hg1Jf4Ds0Aa7Qw2ErVn8Lt3Ky6H';
  const basic = btoa(`svc-data-platform-pipes:${secret}`);
  const mask = createMask('svc-data-platform-pipes', secret);
  const lines = (text: string, width: number): string[] =>
    text.match(RegExp(`.{1,${width}}`, 'g')) ?? [];

  test.each(['\n', '\r\n', ' ', `\n${' '.repeat(23)}`, String.raw`\r\n`, '%0D%0A', '\t'])(
    'by %j is hidden to its end',
    (by) => {
      for (const key of [secret, basic])
        for (const width of [8, 10, 20, 33])
          expect(mask(`no ${lines(key, width).join(by)} here`)).toMatch(/^no \*\*\*( here)?$/);
    },
  );

  test('and a short one that only comes together so is no key', () => {
    expect(createMask('unable', 'notable-one')('un able, not able-one')).toBe(
      'un able, not able-one',
    );
  });
});

test('the header of a call is hidden also where it is encoded once more', () => {
  const basic = btoa('key-id-1:Xa9Lq0ZpTb6Hg1Jf4Ds0');
  const mask = createMask('key-id-1', 'Xa9Lq0ZpTb6Hg1Jf4Ds0');
  for (const before of ['', 'a', 'ab', 'Basic ', '{"authorization":"Basic '])
    expect(mask(`of ${btoa(`${before}${basic}"}`)}.`)).toMatch(
      /^of [\w+/]{0,40}\*\*\*[\w+/]{0,12}=*\.$/,
    );
  expect(mask(`of ${Buffer.from(`Basic ${basic}`).toString('hex')}.`)).toMatch(
    /^of 426173696320\*\*\*(3d)*\.$/,
  );
});

test('a text that only begins like a secret is hidden only as far as it goes on like it', () => {
  const said = 'PATCH /apis/pipewright.dev/v1alpha1/namespaces/team-b: 403 Forbidden';
  const redactor = createRedactor();
  redactor.add([said.slice(0, 16).padEnd(4_096, '-')]);
  const forget = redactor.add([`${said.slice(0, 27)}${'-'.repeat(100)}`]);
  expect(redactor.apply(said)).toBe(`[redacted]${said.slice(27)}`);
  forget();
  expect(redactor.apply(said)).toBe(`[redacted]${said.slice(16)}`);
  expect(createMask('id-1', said.slice(0, 20))(said)).toBe(`***${said.slice(20)}`);
});

/** MB that are still in use. */
function inUse(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed / 1e6;
}

const ESCAPED_BY_ALL = `'"&<>+/=`.repeat(512);

test('what 1,000 keys of 4,096 characters take, once each has been answered, is a few of these each', async () => {
  const redactor = createRedactor();
  const secrets = Array.from({ length: 1_000 }, (_, nth): SecretObject => {
    const data = {
      keyId: btoa(`id-${nth}`),
      keySecret: btoa(`${nth}${ESCAPED_BY_ALL}`.slice(0, 4_096)),
    };
    return { ...anObject(`api-${nth}`, '7'), data };
  });
  const credentials = createCredentials({
    secrets: {
      read: (_namespace, name) => {
        const secret = secrets.find(({ metadata }) => metadata.name === name);
        return Promise.resolve(
          secret ? { state: 'present', resourceVersion: '7', secret } : { state: 'absent' },
        );
      },
      forget: () => undefined,
    },
    baseUrl: 'https://api.test',
    guard: redactor.add,
  });
  const before = inUse();
  let answered = 0;
  for (const { metadata } of secrets) {
    const read = await credentials.read('ns', { name: metadata.name });
    if (read.ok && read.credential.mask('no') === 'no') answered += 1;
  }
  expect(answered).toBe(1_000);
  // Id, secret and header are 10 KB.
  expect(inUse() - before).toBeLessThan(40);
});

test('a place in a line is looked up a few times only, with 800 keys that begin alike and differ in length', () => {
  const redactor = createRedactor();
  for (let length = 6; length < 806; length++) redactor.add(['a'.repeat(length)]);
  const lookUps = vi.spyOn(String.prototype, 'slice');
  onTestFinished(() => lookUps.mockRestore());
  expect(redactor.apply('a'.repeat(512))).toBe('[redacted]');
  expect(lookUps.mock.calls.length).toBeGreaterThan(0);
  expect(lookUps.mock.calls.length).toBeLessThan(512 * 16);
});

test('a text that says a key of 4,096 characters nearly, again and again, is given up soon', () => {
  const mask = createMask('id-1', `${'a'.repeat(4_080)}${ESCAPED_BY_ALL}`.slice(0, 4_096));
  const lookUps = vi.spyOn(Map.prototype, 'get');
  onTestFinished(() => lookUps.mockRestore());
  expect(mask('a'.repeat(20_000))).toBe('***');
  expect(lookUps.mock.calls.length).toBeGreaterThan(0);
  expect(lookUps.mock.calls.length).toBeLessThan(1_000);
});

test('of two keys that begin alike, the one that is forgotten uncovers nothing of the other', () => {
  const redactor = createRedactor();
  const [longer, shorter] = ['sk-live-0123456789-abcdef', 'sk-live-0123456789'];
  const forget = redactor.add([longer]);
  redactor.add([shorter]);
  forget();
  expect(redactor.apply(`no ${shorter}`)).toBe('no [redacted]');
});

test('a text that was clean is looked at again once another secret is known', () => {
  const redactor = createRedactor();
  redactor.add(['sk-live-0123456789']);
  expect(redactor.apply('a-later-secret')).toBe('a-later-secret');
  redactor.add(['a-later-secret']);
  expect(redactor.apply('a-later-secret')).toBe('[redacted]');
});
