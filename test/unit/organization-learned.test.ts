import { expect, test } from 'vitest';
import type { ApiClient } from '../../src/api/call.ts';
import { organization } from '../../src/kinds/organization/index.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { aKindContext } from '../support/kind-context.ts';
import { attemptOn } from '../support/organization-attempt.ts';
import { e } from '../support/organization-entries.ts';

/** One whose API refuses the request that changes nothing. */
function setUp() {
  const sent: string[] = [];
  const call: ApiClient['call'] = async ({ body = '', begin }) => {
    begin?.();
    sent.push(body.startsWith('{"name"') ? 'name' : 'look');
    const base = { answered: true, requestId: 'r' } as const;
    if (sent.at(-1) === 'look') return { ...base, httpStatus: 400, error: 'no' };
    return { ...base, httpStatus: 200, result: { name: 'Acme', privateEndpoints: [e('a')] } };
  };
  const kind = organization.create(aKindContext(new FakeClock(), { call }));
  const reconcile = async (uid = 'uid-1') => {
    sent.length = 0;
    const rig = attemptOn({ spec: { name: 'Acme' }, metadata: { uid } });
    await kind.reconcile(rig.object, rig.context());
    return sent.join(' ');
  };
  return { kind, reconcile };
}

test('how its organization can be looked at is learned once for an object, until it is gone', async () => {
  const { kind, reconcile } = setUp();
  expect(await reconcile()).toBe('look name');
  expect(await reconcile(), 'the same').toBe('name');
  expect(await reconcile('uid-2'), 'made anew').toBe('look name');
  expect(await reconcile('uid-2')).toBe('name');
  kind.forget('ingest/acme');
  expect(await reconcile('uid-2'), 'gone').toBe('look name');
});
