import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createLog } from '../../src/telemetry/logger.ts';
import { createMask, createRedactor } from '../../src/telemetry/mask.ts';

const characters = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, at) => String.fromCharCode(from + at)).join('');
const LETTERS_AND_DIGITS = `${characters(0x30, 0x39)}${characters(0x41, 0x5a)}${characters(0x61, 0x7a)}`;
const ALPHABETS = {
  'letters and digits': LETTERS_AND_DIGITS,
  'all that can be printed': characters(0x20, 0x7e),
  base64: `${LETTERS_AND_DIGITS}+/=`,
  digits: characters(0x30, 0x39),
};
const LENGTHS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 33, 64, 257, 1_000, 4_095, 4_096];

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
  'in a URL, in small digits': (value) =>
    encodeURIComponent(value).replace(/%../g, (one) => one.toLowerCase()),
  'in a URL, all of it': (value) => Buffer.from(value).toString('hex').replace(/../g, '%$&'),
  'in a form': (value) => new URLSearchParams([['', value]]).toString().slice(1),
  'in base64': (value) => btoa(value),
  'in base64 without its end': (value) => btoa(value).replace(/=+$/, ''),
  'in base64 for URLs': (value) => Buffer.from(value).toString('base64url'),
  'in base64 with what is before it': (value) => btoa(`a:${value}`),
  'in base64 with more before it': (value) => btoa(`ab:${value}, and`),
  'in base64 in a path': (value) => `of/a/${btoa(value)}`,
  'in base64 in a URL': (value) => encodeURIComponent(btoa(`ab: ${value}`)),
};

const charactersOf = (alphabet: string) => fc.constantFrom(...alphabet);
const valuesOf = (alphabet: string, length: number): fc.Arbitrary<string> =>
  fc
    .string({ unit: charactersOf(alphabet), minLength: length, maxLength: length })
    // What escapes its first or last character stays, and is no secret.
    .filter((value) => (length < 6 ? value.trim() === value : /^\w.*\w$/.test(value)));

/** The end of base64 in a URL, whose beginning is hidden already. */
const REMAINS = /(%3D)+(?=\) ü$)/i;

/** What a text with these in it becomes by the mask of their owner, and in the log. */
function hidden(value: string, said: string): string[] {
  const redactor = createRedactor();
  redactor.add([value, btoa(`an-id:${value}`)]);
  const lines: string[] = [];
  const destination = { write: (line: string) => lines.push(line) };
  createLog({ level: 'info', redactor, destination }).info({ said }, 'a line');
  const { said: logged } = JSON.parse(lines.join('')) as { said: string };
  return [createMask('an-id', value)(said), createMask(value, 'a-secret')(said), logged];
}

describe.each(Object.entries(ALPHABETS))('a key of %s', (_, alphabet) => {
  test.each(Object.entries(SPELLINGS))('is hidden %s, by mask and log', (spelling, written) => {
    for (const length of LENGTHS.filter((one) => one >= 6))
      fc.assert(
        fc.property(valuesOf(alphabet, length), (value) => {
          // "irZE%2" is hidden in "irZE%252" too; what is left over shows nothing of it.
          fc.pre(written(value) === value || !written(value).startsWith(value));
          for (const clean of hidden(value, `ä (${written(value)}) ü`))
            expect(clean.replace(REMAINS, ''), spelling).toMatch(/^ä \(\*+\) ü$/);
        }),
        { numRuns: length < 100 ? 40 : 3 },
      );
  });

  test('that is shorter than 6 characters is hidden as a whole word only, and in the header', () => {
    for (const length of LENGTHS.filter((one) => one < 6))
      fc.assert(
        fc.property(valuesOf(alphabet, length), (value) => {
          const header = `Basic ${btoa(`an-id:${value}`)}`;
          const [mask = '', , logged = ''] = hidden(value, `ä ${value} ü x${value}x ${header}`);
          for (const clean of [mask, logged])
            expect(clean).toMatch(/^ä \*+ ü x.+x B?\**a?s?i?c? ?\*+$/);
          expect(logged.includes(`x${value}x`) || !/^\w+$/.test(value)).toBe(true);
        }),
        { numRuns: 100 },
      );
  });
});

test('a text without a key stays as it is, whatever escapes are in it', () => {
  const { add, redact } = createRedactor();
  add(['some-secret-or-other', 'x']);
  for (const text of [
    '%41 \\u0041 \\"',
    'c29tZS1zZWNyZXQtb3Itb3RoZXM=',
    'a/path/of/some-secret',
    '',
  ])
    expect(redact(text)).toBe(text);
});

test('a key that is a pattern is no pattern, and a pair is hidden whole', () => {
  const mask = createMask('a.c.e.g', '(.*)+$^|[');
  expect(mask('abcdefg a.c.e.g')).toBe('abcdefg ***');
  expect(mask('no a.c.e.g:(.*)+$^|[ here')).toBe('no *** here');
});

test('of values that overlap or begin alike nothing is left', () => {
  const { add, redact } = createRedactor();
  add(['token sk-live-', 'sk-live-7Q2mZx8', 'abcdefgh', 'abcdefghijkl']);
  expect(redact('bad token sk-live-7Q2mZx8 here')).toBe('bad *** here');
  expect(redact('<abcdefghijkl><abcdefgh>')).toBe('<***><***>');
});

test('a value is forgotten when the last who asked for it has let go', () => {
  const { add, redact } = createRedactor();
  const [first, second] = [add(['hunter22']), add(['hunter22', 'hunter-of-another'])];
  first();
  first();
  expect(redact('hunter22')).toBe('***');
  second();
  expect(redact('hunter22 hunter-of-another')).toBe('hunter22 hunter-of-another');
});

/** Milliseconds for one of many. */
function timeOf(run: () => unknown): number {
  const times = Array.from({ length: 100 }, () => {
    const from = performance.now();
    run();
    return performance.now() - from;
  });
  return times.toSorted((a, b) => a - b)[50] ?? Number.NaN;
}

test('a line takes as long with 10,000 values as with one, also where they begin alike', () => {
  const text = 'PATCH /apis/pipewright.dev/v1alpha1/namespaces/b/organizations/a: 403 '.repeat(6);
  const one = createRedactor();
  one.add(['sk-live-0-and-so-on']);
  const many = createRedactor();
  for (let nth = 0; nth < 10_000; nth += 1) {
    const secret = `sk-live-${nth}${'-and-so-on'.repeat(nth % 10)}`;
    many.add([secret, btoa(`an-id:${secret}`)]);
  }
  // 0.1 ms here; the bound is for machines that have other things to do.
  expect(timeOf(() => many.redact(text))).toBeLessThan(5 * timeOf(() => one.redact(text)) + 0.2);
});
