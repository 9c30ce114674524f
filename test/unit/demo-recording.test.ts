import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { castText, parseCast, withShortPauses } from '../demo/recording/cast.ts';
import { CAST, PICTURE, pictureOf, STORY, storyHash } from '../demo/recording/files.ts';
import { screensOf } from '../demo/recording/screens.ts';
import { svgOf } from '../demo/recording/svg.ts';

const SIZE = { columns: 20, rows: 3, title: 'A & B' };

describe('the recording of the demo', () => {
  const cast = readFileSync(CAST, 'utf8');

  test('is of the story as it is now', () => {
    expect(readFileSync(STORY, 'utf8').trim(), 'run: npm run demo -- --record').toBe(storyHash());
  });

  test('is what its picture shows', async () => {
    expect(await pictureOf(cast)).toBe(readFileSync(PICTURE, 'utf8'));
  });

  test('takes about a minute at most, and its picture is light', () => {
    expect(parseCast(cast).written.at(-1)?.ms).toBeLessThan(70_000);
    expect(readFileSync(PICTURE).length).toBeLessThan(300_000);
  });

  test('shows nothing of the machine that it was made on', () => {
    expect(cast).not.toMatch(/\/(?:tmp|root|home|Users|work)\/|127\.0\.0\.1|localhost/);
  });
});

test('a recording is read as it was written', () => {
  const written = [
    { ms: 0, text: 'a\r\n' },
    { ms: 1_234, text: '\u001B[32mb' },
  ];
  expect(parseCast(castText({ ...SIZE, written }))).toEqual({ ...SIZE, written });
});

test('long pauses are cut, short ones stay as they were', () => {
  const at = [0, 100, 60_100, 60_300].map((ms) => ({ ms, text: '' }));
  expect(withShortPauses(at).map(({ ms }) => ms)).toEqual([0, 100, 4_600, 4_800]);
});

test('screens are what a terminal shows: colours, jumps of the cursor, scrolled lines', async () => {
  const written = [
    { ms: 0, text: 'one\r\ntwo\r\nthree' },
    { ms: 50, text: '\r\n\u001B[32mgood\u001B[0m and not' },
    { ms: 1_000, text: '\u001B[2A\r\u001B[1mTWO\u001B[0m' },
    { ms: 2_000, text: '' },
  ];
  const screens = await screensOf({ ...SIZE, written });
  const plain = { bold: false, dim: false, colour: -1 };
  expect(screens).toEqual([
    {
      ms: 50,
      rows: [
        [{ ...plain, column: 0, text: 'two' }],
        [{ ...plain, column: 0, text: 'three' }],
        [
          { ...plain, column: 0, text: 'good', colour: 2 },
          { ...plain, column: 4, text: ' and not' },
        ],
      ],
    },
    expect.objectContaining({ ms: 1_000 }),
  ]);
  expect(screens[1]?.rows[0]).toEqual([{ ...plain, column: 0, text: 'TWO', bold: true }]);
});

test('a picture needs nothing but itself, and holds text as text', async () => {
  const screens = await screensOf({ ...SIZE, written: [{ ms: 0, text: '<b> & "c"' }] });
  const svg = svgOf({ ...SIZE, screens });
  expect(svg).toContain('>&lt;b&gt; &amp; &quot;c&quot;</text>');
  expect(svg).toContain('<title>A &amp; B</title>');
  expect(svg).not.toMatch(/<script|href="(?!#)|url\(|@import|\son\w+=/);
  expect(() => svgOf({ ...SIZE, screens: [] })).toThrow('there is nothing to show');
});
