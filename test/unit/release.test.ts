import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { requireTag, sectionOf } from '../release/changelog.ts';
import { differences, parseSums, sumsOf } from '../release/sums.ts';

const CHANGELOG = `# Changelog

## 0.2.0 (unreleased)

- Later.

## 0.1.0 (2026-12-01)

The first one.

### Notes

- A thing.

## 0.0.9 (2026-11-01)

## 0.0.8 (2026-10-01)

- Old.
`;

describe('the section of a version', () => {
  test('ends where the next version begins, and has its day', () => {
    expect(sectionOf(CHANGELOG, '0.1.0')).toEqual({
      date: '2026-12-01',
      text: 'The first one.\n\n### Notes\n\n- A thing.',
    });
    expect(sectionOf(CHANGELOG, '0.2.0')).toEqual({ text: '- Later.' });
    expect(sectionOf(CHANGELOG, '0.0.8').text).toBe('- Old.');
  });

  test('is asked for where there is none, or nothing in it', () => {
    expect(() => sectionOf(CHANGELOG, '0.1')).toThrow(
      'CHANGELOG.md has no section for 0.1, only for: 0.2.0, 0.1.0, 0.0.9, 0.0.8. Add one that begins with the line "## 0.1 (YYYY-MM-DD)"',
    );
    expect(() => sectionOf('# Changelog\n', '1.0.0')).toThrow('only for: none.');
    expect(() => sectionOf(CHANGELOG, '0.0.9')).toThrow(
      'CHANGELOG.md says nothing below "## 0.0.9 (2026-11-01)"',
    );
  });

  test.each(['2026-13-45', '2026-02-30', '2027-02-29'])('has no day %s', (day) => {
    const changelog = CHANGELOG.replace('2026-12-01', day);
    expect(() => sectionOf(changelog, '0.1.0')).toThrow(
      `CHANGELOG.md has "## 0.1.0 (${day})", and there is no day ${day}`,
    );
    expect(sectionOf(CHANGELOG.replace('2026-12-01', '2028-02-29'), '0.1.0').date).toBe(
      '2028-02-29',
    );
  });

  test('goes with the tag of its version alone, and once it has a day', () => {
    requireTag('v0.1.0', '0.1.0', { date: '2026-12-01', text: 'any' });
    expect(() => requireTag('0.1.0', '0.1.0', { date: '2026-12-01', text: 'any' })).toThrow(
      'the tag is "0.1.0", and package.json has the version 0.1.0, whose tag is "v0.1.0"',
    );
    expect(() => requireTag('v0.1.0', '0.1.0', { text: 'any' })).toThrow(
      'CHANGELOG.md calls 0.1.0 unreleased',
    );
  });
});

describe('sums', () => {
  const files = new Map(['a', 'b'].map((name) => [name, Buffer.from(name)]));
  const sums = sumsOf(files);
  const [OF_A, OF_B] = [
    'ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb',
    '3e23e8160039594a33894f6564e1b1348bbd7a0088d42c4acb73eeaed59c009d',
  ];

  test('are those of sha256sum', () => {
    expect(sums).toBe(`${OF_A}  a\n${OF_B}  b\n`);
    expect(differences(parseSums(sums, 'x'), files)).toEqual([]);
  });

  test('name each file that is another, is missing, or is too many', () => {
    const others = new Map([
      ['a', Buffer.from('b')],
      ['c', Buffer.from('c')],
      ['SHA256SUMS', Buffer.from('any')],
    ]);
    expect(differences(parseSums(sums, 'x'), others)).toEqual([
      `  a differs: ${OF_A} there, ${OF_B} built here`,
      '  b is not among the files built here',
      '  c was built here and has no sum there',
    ]);
  });

  test.each([
    ['', 'x is empty'],
    [
      '<!doctype html>\n',
      'x is not a file of sums of a release: "<!doctype html>" is not a SHA256 and the name of a file',
    ],
    [`${OF_A} a\n`, 'is not a SHA256 and the name of a file'],
    [`${OF_A}  a\n${OF_B}  b\n${OF_A}  a\n`, 'x has two lines for a;'],
    [`${OF_A}  a\u001b[2J\n`, `${OF_A}  a\\u001b[2J" is not`],
    [`${OF_A}  ../a\n`, 'is not a SHA256 and the name of a file'],
  ])('are refused in %j', (text, why) => {
    expect(() => parseSums(text, 'x')).toThrow(why);
  });
});

test('the version of the package has a section', () => {
  const changelog = readFileSync('CHANGELOG.md', 'utf8');
  expect(sectionOf(changelog, packageJson.version).text).not.toBe('');
});
