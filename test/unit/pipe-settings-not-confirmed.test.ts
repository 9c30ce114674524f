import { describe, expect, test } from 'vitest';
import { SETTINGS, settingNames } from '../../src/kinds/pipe-settings/settings.ts';
import {
  anAppliedPipeSettings,
  aPipeSettings,
  astray,
  confirmedWith,
  edited,
  HOUR,
  MINUTE,
  readyIn,
  SECOND,
  sideIn,
  T0,
  visit,
  visits,
  waitAfter,
} from '../support/objects.ts';
import { expectLawful } from '../support/status-law.ts';

describe('an echo that differs', () => {
  const differs = confirmedWith({ engine_max_threads: 4 });

  test('is asked about after 10 s, 1 min and 5 min, then the user is told to act', () => {
    const done = visits(aPipeSettings(), [differs, differs, differs, differs, differs]);
    let at = T0;
    const seen = done.map((visited) => {
      const wait = waitAfter(visited, at);
      at += wait;
      return [readyIn(visited.status).reason, sideIn(visited.status), wait];
    });
    expect(seen.slice(0, 3)).toEqual([
      ['NotConfirmed', 'Reconciling', 10 * SECOND],
      ['NotConfirmed', 'Reconciling', MINUTE],
      ['NotConfirmed', 'Reconciling', 5 * MINUTE],
    ]);
    for (const [reason, side, wait] of seen.slice(3)) {
      expect([reason, side]).toEqual(['NotConfirmed', 'Stalled']);
      expect(astray(Number(wait), 6 * HOUR)).toBe(0);
    }
    for (const { status } of done) expectLawful(status);
    expect(done.flatMap(({ report }, index) => report.notices?.map(() => index))).toEqual([0, 3]);
  });

  test('names the difference, keeps the last confirmed write, and counts as a request that succeeded', () => {
    const before = anAppliedPipeSettings();
    const { status } = visit(edited(before, { settings: { engine_max_threads: 9 } }), {
      attempt: differs,
    });
    expect(status).toMatchObject({
      applied: before.status?.applied,
      settings: { engine_max_threads: 4 },
      differences: [{ field: 'engine_max_threads', declared: 9, reported: 4 }],
      lastRequest: { outcome: 'Succeeded', httpStatus: 200, requestId: 'req-1' },
    });
    expect(readyIn(status).message).toContain('engine_max_threads is 4, not 9 (request req-1)');
  });

  test('that comes right is applied, without a trace of the difference', () => {
    const [, after] = visits(aPipeSettings(), [differs, confirmedWith({ engine_max_threads: 8 })]);
    expectLawful(after?.status);
    expect(after?.status).toMatchObject({ applied: { generation: 1 } });
    for (const gone of ['differences', 'attempts', 'nextAttemptTime'])
      expect(after?.status).not.toHaveProperty(gone);
  });

  test('in every setting, with texts of any kind, is one readable line that ends with what to do', () => {
    const lowest = settingNames.map((name) => {
      const setting = SETTINGS[name];
      return [name, setting.type === 'boolean' ? true : setting.min] as const;
    });
    const settings = Object.fromEntries(lowest);
    const odd = `a\nb\u2028${'x'.repeat(200)}`;
    const attempt = confirmedWith(Object.fromEntries(settingNames.map((name) => [name, odd])));
    const { status } = visit(aPipeSettings({ spec: { settings } }), { attempt });
    expectLawful(status);
    expect(status?.differences).toHaveLength(settingNames.length);
    const { message } = readyIn(status);
    expect(message).toContain(`and ${settingNames.length - 4} more, see status.differences `);
    expect(message).toMatch(/^.*declare the values that the API keeps$/);
  });
});
