import { loadYaml } from '@kubernetes/client-node';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { toYaml } from '../../crds/yaml.ts';

test('reads well: plain words, lists under their key, single quotes around what has double ones', () => {
  const data = {
    plain: 'Words, and more; (even) a/path.',
    path: '.spec.pipeId',
    number: 5,
    flag: true,
    list: [{ name: 'a', inner: ['x'] }, 'b', []],
    empty: {},
    quoted: 'a: b',
    rule: `self == "it's"`,
    word: 'yes',
    'odd key:': '',
  };
  expect(toYaml(data)).toBe(`plain: Words, and more; (even) a/path.
path: .spec.pipeId
number: 5
flag: true
list:
- name: a
  inner:
  - x
- b
- []
empty: {}
quoted: "a: b"
rule: 'self == "it''s"'
word: "yes"
"odd key:": ""
`);
});

test('what a YAML reader makes of it is what went in', () => {
  const key = fc.string({ unit: 'grapheme' }).filter((name) => name !== '__proto__');
  const text = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.string(),
    fc.constantFrom(
      'yes',
      'No',
      'null',
      '~',
      '.inf',
      '1e3',
      '0x10',
      '010',
      '1:30',
      '- a',
      'a: b',
      'a #b',
      ' a',
      'a ',
      "'",
      '"',
      '\\',
      '\n',
      '2026-01-01',
      '=',
      '<<',
    ),
  );
  const leaf = fc.oneof(text, fc.integer(), fc.boolean());
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4 },
      leaf,
      fc.array(tie('tree'), { maxLength: 4 }),
      fc.dictionary(key, tie('tree'), { maxKeys: 4, noNullPrototype: true }),
    ),
  }));
  fc.assert(
    fc.property(tree, (value) => {
      expect(loadYaml(toYaml({ value }))).toEqual({ value });
    }),
    { numRuns: 500 },
  );
});

test('refuses what JSON cannot hold', () => {
  expect(() => toYaml({ a: undefined })).toThrow('JSON data only');
});
