import { afterAll, beforeAll, expect, test } from 'vitest';
import { waitFor } from '../../controlplane/wait-for.ts';
import { pageBlocks } from '../../support/page.ts';
import { type Desk, openDesk } from './desk.ts';
import { follow } from './follow.ts';

const KEY = { id: 'YOUR-KEY-ID', secret: 'YOUR-KEY-SECRET' };

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk({ programs: ['helm'], simulator: { keys: { [KEY.id]: KEY.secret } } });
});
afterAll(() => desk.end());

follow(pageBlocks('README.md'), () => desk, {
  before: {
    'The first object >> kubectl apply -f orders.yaml': () =>
      desk.simulator.setKey(KEY.id, KEY.secret, { disabled: true }),
    'The first object >> kubectl pipewright status': () =>
      waitFor(() => desk.succeed('kubectl get pset/orders -n ingest'), {
        what: 'the operator to hear that the key is disabled',
        until: (line) => line.includes('Unauthorized'),
      }),
  },
  endsWith: { 'The first object >> kubectl pipewright plan': 2 },
});

test('what was run is what the README promises: an object applied by an operator', () => {
  const [first, ...rest] = desk.simulator.calls();
  expect(first).toMatchObject({ method: 'PUT', status: 200, keyId: KEY.id });
  expect(rest.map(({ status }) => status)).toEqual([401]);
});
