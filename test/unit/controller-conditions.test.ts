import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Condition,
  conditionsFor,
  cutText,
  type Summary,
} from '../../src/controller/conditions.ts';

const summary: fc.Arbitrary<Summary> = fc.record(
  {
    ready: fc.constantFrom<Summary['ready']>('True', 'False', 'Unknown'),
    progress: fc.constantFrom<NonNullable<Summary['progress']>>('Reconciling', 'Stalled'),
    reason: fc.constantFrom('Applied', 'Rejected', 'Unavailable'),
    message: fc.string({ unit: 'binary', maxLength: 40 }),
  },
  { requiredKeys: ['ready', 'reason', 'message'] },
);

function atMinute(minute: number): string {
  return `2026-01-01T00:${String(minute).padStart(2, '0')}:00Z`;
}

function of(conditions: readonly Condition[], type: string): Condition | undefined {
  return conditions.find((condition) => condition.type === type);
}

describe('conditions', () => {
  test('hold Ready always, Reconciling or Stalled only while True, never both, for any history', () => {
    fc.assert(
      fc.property(fc.array(summary, { minLength: 1, maxLength: 12 }), (history) => {
        let conditions: Condition[] = [];
        for (const [minute, each] of history.entries()) {
          conditions = conditionsFor(each, {
            generation: minute,
            previous: conditions,
            now: atMinute(minute),
          });
          const types = conditions.map(({ type }) => type);
          expect(types).toEqual(each.progress ? ['Ready', each.progress] : ['Ready']);
          expect(conditions.slice(1).every(({ status }) => status === 'True')).toBe(true);
          for (const { reason, message, observedGeneration } of conditions) {
            expect([reason, message, observedGeneration]).toEqual([
              each.reason,
              each.message.toWellFormed(),
              minute,
            ]);
          }
        }
      }),
    );
  });

  test('move lastTransitionTime with status and with nothing else, for any history', () => {
    fc.assert(
      fc.property(fc.array(summary, { minLength: 2, maxLength: 12 }), (history) => {
        let before: Condition[] = [];
        for (const [minute, each] of history.entries()) {
          const after = conditionsFor(each, {
            generation: minute,
            previous: before,
            now: atMinute(minute),
          });
          for (const condition of after) {
            const was = of(before, condition.type);
            const stays = was?.status === condition.status;
            expect(condition.lastTransitionTime).toBe(
              stays ? was.lastTransitionTime : atMinute(minute),
            );
          }
          before = after;
        }
      }),
    );
  });
});

describe('a text', () => {
  test('is cut by code points, the unit of maxLength, and says so', () => {
    const emoji = '🙂'.repeat(1_025);
    const [ready] = conditionsFor(
      { ready: 'False', reason: 'Rejected', message: emoji },
      { generation: 1, previous: [], now: atMinute(0) },
    );
    expect([...(ready?.message ?? '')]).toHaveLength(1_024);
    expect(ready?.message.endsWith('🙂…')).toBe(true);
    expect(cutText('🙂'.repeat(1_024), 1_024)).toBe('🙂'.repeat(1_024));
  });

  test('never comes out longer than allowed nor with half a character, and unchanged where it fits', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 50 }),
        fc.integer({ min: 1, max: 50 }),
        (text, most) => {
          const cut = cutText(text, most);
          expect([...cut].length).toBeLessThanOrEqual(most);
          expect(cut.isWellFormed()).toBe(true);
          expect(cut === text.toWellFormed()).toBe([...text].length <= most);
        },
      ),
    );
  });

  test('cut once is not cut again', () => {
    const once = cutText('x'.repeat(2_000), 1_024);
    expect(cutText(once, 1_024)).toBe(once);
  });

  test('with a half character gets the replacement that the API server would put', () => {
    expect(cutText('a\ud83d', 10)).toBe('a\ufffd');
  });
});
