import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { audit, waitFor } from '../controlplane/client.ts';
import { strangers } from '../simulator/organization-types.ts';
import { leaks } from '../support/canary.ts';
import { asAdmin } from '../support/cluster.ts';
import { endpoint, inventoryOf } from '../support/organizations.ts';
import { answerText, type RawServer, startRawServer } from '../support/raw-server.ts';
import { openScene, type Scene } from '../support/scene.ts';
import { SECRET as MANAGEMENT_API } from '../support/scene-objects.ts';
import { ready } from '../support/watching.ts';
import { BASIC, FORMS, KEY_ID, SECRET } from './replies.ts';

/** The organization as an API may report it, to an object that declares its name and `a`. */

const LONG = 'x'.repeat(20_000);
const ODD = `a\u0000b\u001b[31mc\u2028d\ud800e\r\n\u202e${SECRET}`;
const entry = { ...endpoint('a'), description: '' };
const whole = { id: 'x', name: 'Acme', createdAt: 'now', privateEndpoints: [entry] };
const listing = (...privateEndpoints: readonly unknown[]) => ({ ...whole, privateEndpoints });

const THERE = ['a Found Present'];

/** `inventory`: that of the object; its endpoint is there in all but the first group. */
const ROWS: readonly (readonly [name: string, result: unknown, reason: string, string[]])[] = [
  ['is empty', {}, 'NotConfirmed', []],
  ['is a list', [whole], 'UnexpectedResponse', []],
  ['is a text', SECRET, 'UnexpectedResponse', []],
  ['has a text for a list', { ...whole, privateEndpoints: SECRET }, 'NotConfirmed', []],
  ['has an object for a list', { ...whole, privateEndpoints: { 0: entry } }, 'NotConfirmed', []],
  ['has no entry with an id', listing({ region: 'x' }, {}, { id: '' }), 'NotConfirmed', []],
  ['has the id elsewhere', listing({ ...entry, region: 'eu' }), 'EndpointConflict', []],

  ['has the secret for a name', { ...whole, name: SECRET }, 'NotConfirmed', THERE],
  ['has a name that is no text', { ...whole, name: { toString: 'Acme' } }, 'Applied', THERE],
  ['has entries that are none', listing(entry, 5, true, [], { id: {} }, null), 'Applied', THERE],
  ['has the endpoint twice', listing({ ...entry, id: 'A' }, entry), 'Applied', ['A Found Present']],
  ['has no more than its id', listing({ id: 'a' }), 'Applied', THERE],
  [
    'has it in capitals with blanks',
    listing({ ...entry, id: ' A ', region: 'AP-northeast-1' }),
    'Applied',
    [' A  Found Present'],
  ],
  ['has 10,000 others', listing(...strangers(10_000), entry), 'Applied', THERE],
  [
    'has texts beyond all bounds',
    listing(entry, { id: LONG, cloudProvider: LONG, region: LONG, description: LONG }),
    'Applied',
    THERE,
  ],
  [
    'has odd characters everywhere',
    { ...whole, id: ODD, createdAt: ODD, privateEndpoints: [entry, endpoint(ODD)] },
    'Applied',
    THERE,
  ],
  [
    'has the key for ids',
    listing(entry, ...[KEY_ID, SECRET, BASIC].map((id) => endpoint(id))),
    'Applied',
    THERE,
  ],
  ['has fields that nobody knows', { ...whole, cores: { [SECRET]: [SECRET] } }, 'Applied', THERE],
  [
    'has thousands of configurations',
    { ...whole, byocConfig: Array.from({ length: 3_000 }, () => ({ id: 'b', state: 'ok' })) },
    'Applied',
    THERE,
  ],
];

let scene: Scene;
let server: RawServer;
const targets = ROWS.map(([name]) => ({
  name: name.replaceAll(/[^a-z0-9]+/g, '-'),
  id: randomUUID(),
}));

beforeAll(async () => {
  const answers = new Map(
    ROWS.map(([, result], at) => [
      targets[at]?.id,
      answerText(200, JSON.stringify({ status: 200, requestId: SECRET, result })),
    ]),
  );
  server = await startRawServer(({ head }, socket) => {
    const id = /organizations\/([0-9a-f-]{36})/.exec(head)?.[1];
    socket.write(answers.get(id) ?? answerText(404, '{}'));
  });
  scene = await openScene({ apiUrl: server.url, logLevel: 'trace' });
  await scene.secret(MANAGEMENT_API, { keyId: KEY_ID, keySecret: SECRET });
  const privateEndpoints = [endpoint('a')];
  await Promise.all(
    targets.map(({ name, id }) =>
      scene.orgs.create(name, { organizationId: id, name: 'Acme', privateEndpoints }),
    ),
  );
});
afterAll(() => Promise.all([scene?.end(), server?.stop()]));

test.each(ROWS.map(([name, , reason, inventory], at) => ({ name, reason, inventory, at })))(
  'an organization that $name: $reason',
  async ({ reason, inventory, at }) => {
    const object = await scene.orgs.until(targets[at]?.name ?? '', reason);
    expect(inventoryOf(object)).toEqual(inventory);
    const shown = JSON.stringify([object.status.conditions, object.status.lastRequest]);
    expect(shown).not.toMatch(/\\u00[01]|\\[rn]|[\u2028\u2029]/);
    expect([...ready(object).message].length).toBeLessThanOrEqual(1_024);
    expect(Buffer.byteLength(JSON.stringify(object.status))).toBeLessThan(256 * 1_024);
  },
);

test('no more than looks are sent to an API that is not understood', () => {
  const bodies = server.requests.map(({ body }) => body);
  expect(bodies.length).toBeGreaterThanOrEqual(ROWS.length);
  expect(bodies.filter((body) => /"(add|remove)":\[\{/.test(body))).toEqual([]);
});

test('the key stands in no log, status, event or metric, and no status was refused', async () => {
  const path = `/apis/events.k8s.io/v1/namespaces/${scene.namespace}/events`;
  const failing = ROWS.flatMap(([, , reason], at) => (reason === 'Applied' ? [] : [targets[at]]));
  const events = await waitFor(() => asAdmin<object>('GET', path), {
    what: 'an event about every failure',
    until: (all) => failing.every((one) => JSON.stringify(all).includes(`"${one?.name}"`)),
  });
  const texts = {
    log: scene.operator().output(),
    status: JSON.stringify(await scene.orgs.list()),
    events: JSON.stringify(events),
    metrics: await scene.operator().page('metrics'),
  };
  expect(leaks(texts, FORMS)).toEqual([]);
  const writes = await audit({ user: scene.user, resource: 'organizations', verb: 'update' });
  expect(writes.filter(({ code }) => code >= 400 && code !== 409)).toEqual([]);
  expect(scene.operator().lines.filter(({ level }) => level === 'error')).toEqual([]);
});
