import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLog } from '../../../src/telemetry/logger.ts';
import { createMask, createRedactor } from '../../../src/telemetry/mask.ts';

const PRINTABLE = Array.from({ length: 95 }, (_, at) => String.fromCharCode(0x20 + at)).join('');
const WORDS = PRINTABLE.replaceAll(/\W/g, '');
const ALPHABETS = { words: WORDS, printable: PRINTABLE, base64: `${WORDS}+/=` };

/** How others write a value into a text of theirs. */
const SPELLINGS: Readonly<Record<string, (value: string) => string>> = {
  'as it is': (value) => value,
  'in JSON': (value) => JSON.stringify(value).slice(1, -1),
  'in JSON of PHP': (value) => JSON.stringify(value).slice(1, -1).replaceAll('/', '\\/'),
  'in JSON of Go': (value) =>
    JSON.stringify(value)
      .slice(1, -1)
      .replace(/[<>&]/g, (one) => `\\u00${one.charCodeAt(0).toString(16)}`),
  'in a URL': encodeURIComponent,
  'in a URL, all of it': (value) => Buffer.from(value).toString('hex').replace(/../g, '%$&'),
  'in a form': (value) => new URLSearchParams([['', value]]).toString().slice(1),
  'in base64 without its end': (value) => btoa(value).replace(/=+$/, ''),
  'in base64 for URLs': (value) => Buffer.from(value).toString('base64url'),
  'in base64 with more around it': (value) => btoa(`ab:${value}, and`),
  'in base64 in a path': (value) => `of/a/${btoa(value)}`,
  'in base64 in a URL': (value) => encodeURIComponent(btoa(`ab: ${value}`)),
};

const valuesOf = (alphabet: string, length: number): fc.Arbitrary<string> =>
  fc
    .string({ unit: fc.constantFrom(...alphabet), minLength: length, maxLength: length })
    // What escapes its first or last character stays, and is no secret.
    .filter((value) => (length < 6 ? value.trim() === value : /^\w.*\w$/.test(value)));

/** What a line of the log becomes of these fields, where these values are secret. */
function logged(secrets: readonly string[], fields: object) {
  const redactor = createRedactor();
  redactor.add(secrets);
  const lines: string[] = [];
  const destination = { write: (line: string) => lines.push(line) };
  createLog({ level: 'info', redactor, destination }).info({ ...fields }, 'a line');
  return JSON.parse(lines.join('')) as { readonly said: string };
}

/** What a text becomes by the mask of the key's owner, as either half of it, and in the log. */
function hidden(value: string, said: string): readonly [string, string, string] {
  const { said: log } = logged([value, btoa(`an-id:${value}`)], { said });
  return [createMask('an-id', value)(said), createMask(value, 'a-secret')(said), log];
}

describe.each(Object.entries(ALPHABETS))('a key of %s', (_, alphabet) => {
  it.each(Object.entries(SPELLINGS))('is hidden %s', (_spelling, written) => {
    for (const length of [6, 7, 8, 9, 15, 16, 17, 33, 64, 257, 4_096])
      fc.assert(
        fc.property(valuesOf(alphabet, length), (value) => {
          // "irZE%2" is hidden in "irZE%252" too; what is left over shows nothing of it.
          fc.pre(written(value) === value || !written(value).startsWith(value));
          for (const clean of hidden(value, `ä (${written(value)}) ü`))
            expect(clean.replace(/(%3D)+(?=\) ü$)/i, '')).toMatch(/^ä \(\*+\) ü$/);
        }),
        { numRuns: length < 100 ? 30 : 3 },
      );
  });

  it('that is shorter than 6 characters is hidden as a whole word only, and in the header', () => {
    for (const length of [1, 2, 3, 4, 5])
      fc.assert(
        fc.property(valuesOf(alphabet, length), (value) => {
          const header = `Basic ${btoa(`an-id:${value}`)}`;
          const [mask, , log] = hidden(value, `ä ${value} ü x${value}x ${header}`);
          for (const clean of [mask, log])
            expect(clean).toMatch(/^ä \*+ ü x.+x B?\**a?s?i?c? ?\*+$/);
          expect(log.includes(`x${value}x`) || !/^\w+$/.test(value)).toBe(true);
        }),
        { numRuns: 60 },
      );
  });
});

it.each<[string, string[], string, string]>([
  ['escapes without a key stay', ['some-secret', 'x'], '%41 \\u0041 \\"', '%41 \\u0041 \\"'],
  ['a part of a key stays', ['some-secret'], 'a/path/of/some-secre', 'a/path/of/some-secre'],
  ['a key that is a pattern is none', ['a.c.e.g'], 'abcdefg a.c.e.g', 'abcdefg ***'],
  ['keys that overlap go together', ['token sk-', 'sk-live-7'], 'bad token sk-live-7', 'bad ***'],
  ['keys that begin alike go whole', ['abcdefgh', 'abcdefghi'], 'abcdefghi abcdefgh', '*** ***'],
])('of a text %s', (_, secrets, text, clean) => {
  const { add, redact } = createRedactor();
  add(secrets);
  expect(redact(text)).toBe(clean);
});

it('a value is forgotten when the last who asked for it has let go', () => {
  const { add, redact } = createRedactor();
  const [first, second] = [add(['hunter22']), add(['hunter22', 'hunter-of-another'])];
  first();
  first();
  expect(redact('hunter22')).toBe('***');
  second();
  expect(redact('hunter22 hunter-of-another')).toBe('hunter22 hunter-of-another');
});

describe('a line of the log', () => {
  const key = 'k7/"w+'.repeat(6);

  it.each<[string, object, object]>([
    ['has its fields and its level', { ms: 12, ok: true }, { ms: 12, ok: true, level: 'info' }],
    ['hides a key, in lists too', { a: key, all: [`no ${key}`] }, { a: '***', all: ['no ***'] }],
    ['has no object', { a: { b: 1 }, all: [{}] }, { a: '[not logged]', all: ['[not logged]'] }],
    [
      'is cut only once no key is in it',
      { a: `${'x'.repeat(1010)}${key}${'y'.repeat(5000)}` },
      { a: `${'x'.repeat(1010)}***${'y'.repeat(11)}…` },
    ],
  ])('%s', (_, fields, line) => {
    expect(logged([key], fields)).toMatchObject(line);
  });

  it.each(['"level":', 'team-a', 'namespace', 'a line'])(
    'says what it is about, also where a tenant calls its key %s',
    (name) => {
      const about = { kind: 'PipeSettings', namespace: 'team-a', path: '/namespaces/team-a/p' };
      expect(logged([name], about)).toMatchObject({ level: 'info', ...about, msg: 'a line' });
    },
  );
});
