import { describe, expect, test } from 'vitest';
import { FailureLines } from '../failure-lines.ts';
import { runLoudly } from '../steps.ts';

function linesOf(printed: readonly string[]): readonly string[] {
  const said = new FailureLines();
  for (const line of printed) said.take(line);
  return said.lines();
}

describe('what a part of .ci/run says of its failure once more', () => {
  test('is what vitest says of a failed test, once and without colours', () => {
    const failed = '\u001B[31m FAIL \u001B[39m faults  test/faults/a.test.ts > R12: a key';
    expect(
      linesOf([
        '   ✓ R12: goes on 1200ms',
        failed,
        'AssertionError: expected 3 to be 4 // Object.is equality',
        ' ❯ test/faults/a.test.ts:18:49',
        failed,
        '| R12 | 128 | 127 |',
      ]),
    ).toEqual([
      ' FAIL  faults  test/faults/a.test.ts > R12: a key',
      'AssertionError: expected 3 to be 4 // Object.is equality',
    ]);
  });

  test('is what our own runners say', () => {
    const rule = '  FAIL  a-rule-of-ours: Not seen by the test that is named for it. (1.5 s)';
    expect(linesOf(['  ok    another-rule (1.4 s)', rule, '', 'done'])).toEqual([rule]);
  });

  test('is what the hunt says of a life, and how to live it again', () => {
    const told = [
      'Seed 1212 breaks sends twice (shortened in 40 lives):',
      '==> 2 calls where 1 was due',
      'Again: npm run hunt -- --seed 1212 --only "sends twice"',
    ];
    expect(linesOf(['  12.0 s: 900 lives', ...told, 'by rule: 12'])).toEqual(told);
  });

  test('is its last lines where none tells of a failure', () => {
    const printed = Array.from({ length: 20 }, (_, index) => `line ${index + 1}`);
    expect(linesOf(printed)).toEqual(printed.slice(-8));
  });

  test('is no more than fits on a screen', () => {
    const printed = Array.from({ length: 100 }, (_, index) => ` FAIL  ${index} ${'x'.repeat(999)}`);
    const lines = linesOf(printed);
    expect(lines).toHaveLength(25);
    expect(lines.at(-1)).toBe('and 76 lines more like these');
    expect(Math.max(...lines.map(({ length }) => length))).toBe(300);
  });
});

describe('a program that is run loudly', () => {
  test('is heard to its last line, also where what it left behind holds its output open', async () => {
    const script = [
      'const { spawn } = require("node:child_process");',
      'const left = spawn(process.execPath, ["-e", "setTimeout(() => {}, 60_000)"], { stdio: "inherit" });',
      'left.unref();',
      'console.log(`left ${left.pid}`);',
      'process.exitCode = 1;',
    ].join('\n');
    const heard: string[] = [];
    const isWell = await runLoudly(['-e', script], { onLine: (line) => heard.push(line) });
    expect(isWell).toBe(false);
    expect(heard).toEqual([expect.stringMatching(/^left \d+$/)]);
    // It is alive: to end it would throw otherwise.
    process.kill(Number(heard.join().slice('left '.length)));
  });
});
