import { expect, test } from 'vitest';
import { createSecrets } from '../../../src/kube/secrets.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { isAbout } from '../kinds/rows.ts';
import { Api } from './api.ts';

test('a Secret that Kubernetes does not give is asked for again, 1 s → 1 m', async () => {
  const clock = new FakeClock();
  const api = new Api(clock);
  const client = api.client(() => ({ refused: { status: 503 } }));
  const secrets = createSecrets(client, clock, new AbortController().signal);
  secrets.awaitChange('owner', 'ns/own');
  while (api.calls.length === 0) await clock.advance(1);
  for (const [nth, seconds] of [1, 2, 4, 8, 16, 32, 60, 60].entries()) {
    const since = clock.now();
    while (api.calls.length < nth + 2) await clock.advance(100);
    expect(isAbout(clock.now() - since, seconds * 1_000)).toBe(true);
  }
  expect(secrets.state('ns/own')).toEqual({ state: 'unknown' });
});
