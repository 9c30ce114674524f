import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Planned } from '../../src/cli/plan/planned.ts';
import { markdown } from '../../src/cli/plan/print-markdown.ts';
import { definitions } from '../../src/kinds/definitions.ts';

const [definition] = definitions;
if (!definition) throw new Error('there are no kinds');

/** One object whose every text somebody else has chosen. */
function planOf(text: string, count = 1): Planned {
  const place = { file: text, line: 1, column: 1 };
  const forecast = {
    does: 'send',
    says: text,
    requests: [{ method: 'PUT', path: text, body: text }],
    changes: [{ field: text, from: text, to: text }],
    isOpen: false,
    known: { time: text, requestId: text },
    waits: text,
  } as const;
  const object = { definition: definition ?? definitions[0], namespace: text, name: text, place };
  if (!object.definition) throw new Error('there is no kind');
  const sends = {
    ...object,
    definition: object.definition,
    problems: [],
    forecast,
    remarks: [text],
  };
  const invalid = { ...sends, problems: [{ place, message: text }] };
  return {
    objects: [...Array.from({ length: count }, () => sends), invalid],
    absent: [{ ...sends, forecast: { ...forecast, does: 'stop' } }],
    strays: [{ place, message: text }],
    skipped: 0,
    isOffline: false,
    now: 0,
  };
}

/** What stands outside of fences, line by line; fences as CommonMark reads them. */
function outsideFences(text: string): string[] {
  const lines: string[] = [];
  let fence: string | undefined;
  for (const line of text.split('\n')) {
    const run = /^`{3,}/.exec(line)?.[0];
    if (fence === undefined && run) fence = run;
    else if (fence !== undefined && run && run.length >= fence.length && run === line.trim())
      fence = undefined;
    else if (fence === undefined) lines.push(line);
  }
  return lines;
}

const OURS =
  /^(<!-- kubectl pipewright plan -->|<\/details>)$|^<details><summary>[^<>]*<\/summary>$/;

test('whatever others have written, it is no markup, and ends no fence', () => {
  const hostile = fc.array(
    fc.constantFrom(
      '`',
      '```',
      '````\n',
      '\n',
      '</details>',
      '<script>',
      '|',
      '**',
      '@all',
      '](x)',
      'a',
      '\r',
      '\\',
    ),
    { maxLength: 12 },
  );
  fc.assert(
    fc.property(hostile, (parts) => {
      const outside = outsideFences(markdown(planOf(parts.join(''))));
      const begun = outside.filter((line) => line.startsWith('<details>')).length;
      expect(outside.filter((line) => line === '</details>')).toHaveLength(begun);
      expect(begun).toBeGreaterThan(1);
      for (const line of outside) {
        if (OURS.test(line)) continue;
        expect(line).not.toMatch(/[<>]|(?<!&#64;)@/);
        const cells = line.startsWith('|') ? line.split(/(?<!\\)\|/).length : 6;
        expect(cells).toBe(6);
      }
    }),
    { numRuns: 300, examples: [[['```']], [['````\n']], [['```', '</details>']]] },
  );
});

test('what others have written neither steers a terminal nor hides in a comment', () => {
  const text = markdown(planOf('a\u0000\r\u001b[2J\u009b1m\u202e\u200b\u2028z'));
  expect(text.match(/[^\P{Cc}\n]|[\p{Cf}\u2028]/gu)).toBeNull();
});

test('it is never longer than a comment may be, and says what is left out', () => {
  const text = markdown(planOf('x@'.repeat(2_000), 80));
  expect(text.length).toBeLessThan(65_536);
  expect(text).toMatch(/\d+ parts of the details left out/);
});
