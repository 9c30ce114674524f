import { expect, test } from 'vitest';
import { labelSelector } from '../../src/config/label-selector.ts';
import { selects } from '../../src/kube/secrets/label-match.ts';
import { newNamespace } from '../controlplane/client.ts';
import { asAdmin } from '../support/cluster.ts';

const LABELS: readonly Readonly<Record<string, string>>[] = [
  {},
  { team: 'a' },
  { team: 'b' },
  { team: '' },
  { team: 'a', tier: 'test' },
  { 'example.com/team': 'a' },
  { tier: 'prod', 'example.com/team': 'b.c_d-e' },
  { in: 'notin' },
];

const SELECTORS = [
  'team',
  '!team',
  'team=a',
  'team==a',
  'team=',
  'team!=a',
  'team!=',
  'team in (a,b)',
  'team  in ( b , a )',
  'team notin (a)',
  'team notin (a,b),tier',
  'team=a,tier!=test',
  '!team,!tier',
  'example.com/team=a',
  'example.com/team in (b.c_d-e,x)',
  'in=notin',
  'in in (notin)',
  'tier=test,team in (a)',
];

test('a selector selects what the API server selects with it', async () => {
  const namespace = await newNamespace();
  const path = `/api/v1/namespaces/${namespace}/configmaps`;
  for (const [nth, labels] of LABELS.entries())
    await asAdmin('POST', path, { metadata: { name: `n${nth}`, labels } });
  for (const text of SELECTORS) {
    const reading = labelSelector(text);
    const selector = 'value' in reading ? reading.value : reading.problem;
    const query = `labelSelector=${encodeURIComponent(text)}`;
    const { items } = await asAdmin<{ items: { metadata: { name: string } }[] }>(
      'GET',
      `${path}?${query}`,
    );
    const selected = items
      .map(({ metadata }) => metadata.name)
      .filter((name) => /^n\d$/.test(name));
    const ours = LABELS.flatMap((labels, nth) => (selects(selector, labels) ? [`n${nth}`] : []));
    expect(ours, text).toEqual(selected.toSorted());
  }
});
