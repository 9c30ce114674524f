import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { EVENTS } from '../../src/kinds/status/event-reasons.ts';
import { REASONS } from '../../src/kinds/status/reasons.ts';
import { pageQueries } from '../support/page.ts';
import { alertsIn, plainRules, RUNBOOK } from './alerts.ts';
import { complaintsOf } from './promtool.ts';

const PAGE = readFileSync(RUNBOOK, 'utf8');

test('every alert has its part of the page, where its runbook_url points, and no part is of another', async () => {
  const alerts = alertsIn(await plainRules());
  const headings = [...PAGE.matchAll(/^## (.+)$/gm)].map(([, title = '']) => title);
  expect(headings.toSorted()).toEqual(alerts.map(({ alert }) => alert).sort());
  for (const { annotations } of alerts) {
    const { pathname, hash } = new URL(annotations['runbook_url'] ?? '');
    expect(pathname).toBe(`/pipewright/pipewright/blob/main/${RUNBOOK}`);
    expect(headings.map((title) => `#${title.toLowerCase()}`)).toContain(hash);
  }
});

test('every query of the page is one that Prometheus reads, and each part has one', async () => {
  const queries = pageQueries(RUNBOOK);
  expect(queries).toHaveLength(alertsIn(await plainRules()).length);
  const expected = queries.map(({ expr }) => ({ expr, eval_time: '1m', exp_samples: [] }));
  expect(await complaintsOf({ input: [], expected })).toBe('');
});

test('what the page looks for in events and in the log is what the operator writes', () => {
  const reasons = [...PAGE.matchAll(/reason=([A-Z]\w+)/g)].map(([, reason = '']) => reason);
  expect(reasons.length).toBeGreaterThan(1);
  for (const reason of reasons) expect(Object.keys(EVENTS)).toContain(reason);
  const log = readFileSync('crds/messages.md', 'utf8');
  const searched = [...PAGE.matchAll(/logs .*\| grep (?:-i )?'([^']+)'/g)];
  expect(searched.length).toBeGreaterThan(3);
  for (const [, pattern = ''] of searched)
    for (const part of pattern.split('\\|'))
      expect(log.toLowerCase()).toContain(part.toLowerCase());
});

describe('the part on PipewrightStalled', () => {
  const part = /^## PipewrightStalled\n([^]+?)^## /m.exec(PAGE)?.[1] ?? '';

  test('asks for the objects that the alert is about', async () => {
    const rule = alertsIn(await plainRules()).find(({ alert }) => alert === 'PipewrightStalled');
    const matchersIn = (expr = ''): string[] =>
      [...expr.matchAll(/\{([^}]+)\}/g)].map(([, one = '']) => one.replace('job=~".*", ', ''));
    const [asked = ''] = /```promql\n([^]+?)```/.exec(part) ?? [];
    expect(matchersIn(asked)).toEqual(matchersIn(rule?.expr));
    expect(matchersIn(asked)).toHaveLength(2);
  });

  test('says of every other reason that can be Stalled that the alert leaves it out', async () => {
    const rule = alertsIn(await plainRules()).find(({ alert }) => alert === 'PipewrightStalled');
    const left = Object.entries(REASONS)
      .filter(([reason, { beside }]) => beside?.includes('Stalled') && !rule?.expr.includes(reason))
      .map(([reason]) => reason);
    expect(left).toEqual(['UnexpectedResponse', 'NotConfirmed']);
    const [, said = ''] = /can be Stalled, but([^]+?)\n\n/.exec(part) ?? [];
    for (const reason of [...left, 'NotFound']) expect(said).toContain(`\`${reason}\``);
  });
});
