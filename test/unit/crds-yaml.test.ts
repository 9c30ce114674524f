import { loadYaml } from '@kubernetes/client-node';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { customResourceDefinition } from '../../crds/manifest.ts';
import { toYaml } from '../../src/cli/yaml.ts';
import { definitions } from '../../src/kinds/definitions.ts';

const TAKEN_FOR_SOMETHING_ELSE = {
  words: ['yes', 'No', 'on', 'y', 'null', '~', '.inf', '=', '<<'],
  numbers: ['1e3', '0x10', '010', '0o7', '1_000', '1:30', '2026-01-01'],
  marks: [
    'a\nb\n',
    '- a',
    'a: b',
    'a #b',
    ' a',
    'a ',
    "'",
    '"',
    '\\',
    'a\nb\n',
    '',
    '{{ a }}',
    '*a',
    '@a',
  ],
  twice: [{ a: 'b' }, { a: 'b' }],
};

const WRITTEN: readonly (readonly [string, object])[] = [
  ['words that YAML has a meaning for', TAKEN_FOR_SOMETHING_ELSE],
  ...definitions.map((one) => [one.type.kind, customResourceDefinition(one)] as const),
];

test.each(WRITTEN)('%s: every reader gets what was written', (_, data) => {
  const text = toYaml(data);
  expect(parse(text, { version: '1.2' })).toEqual(data);
  expect(parse(text, { version: '1.1' })).toEqual(data);
  expect(loadYaml(`inner:\n${text.replaceAll(/^(?=.)/gm, '  ')}`)).toEqual({ inner: data });
});

test('a long text and a text that comes twice stay on lines of their own', () => {
  const long = 'word '.repeat(100).trim();
  const shared = { name: 'a' };
  expect(toYaml({ long, list: [shared, shared] })).toBe(
    `long: ${long}\nlist:\n- name: a\n- name: a\n`,
  );
});
