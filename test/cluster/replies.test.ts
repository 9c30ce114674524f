import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { audit, waitFor } from '../controlplane/client.ts';
import { leaks } from '../support/canary.ts';
import { asAdmin } from '../support/cluster.ts';
import { answerText, type RawServer, startRawServer } from '../support/raw-server.ts';
import { openScene, type Scene } from '../support/scene.ts';
import { SECRET as MANAGEMENT_API } from '../support/scene-objects.ts';
import { ready, side } from '../support/watching.ts';
import { type Answer, ECHO, FORMS, KEY_ID, ROWS, type Row, SECRET } from './replies.ts';

/** Every answer gives a condition that a user can read, and never the key. */

const REDIRECTS = [301, 302, 307, 308];

let scene: Scene;
let server: RawServer;
/** Where redirects lead to. */
let other: RawServer;
let rows: readonly Row[];
let highestMemory = 0;

beforeAll(async () => {
  other = await startRawServer((_, socket) => socket.end(answerText(200, '{"result":{}}')));
  const location = `${other.url}/v1/taken?key=${KEY_ID}`;
  const redirects = REDIRECTS.map((status): Row => {
    const answer = answerText(status, ECHO, { location });
    return [
      `redirect-${status}`,
      answer,
      'UnexpectedResponse Stalled',
      /redirected .*never follow/,
    ];
  });
  rows = [...ROWS, ...redirects];
  const answers = new Map<string, Answer>(rows.map(([name, answer]) => [name, answer]));
  server = await startRawServer(({ head }, socket) => {
    const answer = answers.get(/^PUT \S*\/([^/ ]+)\/\S* HTTP/.exec(head)?.[1] ?? '');
    if (typeof answer === 'function') answer(socket);
    else socket.write(answer ?? answerText(500, ''));
  });
  const flags = ['--api-timeout', '3s', '--api-in-flight', '100'];
  scene = await openScene({ apiUrl: server.url, flags, logLevel: 'trace' });
  await scene.secret(MANAGEMENT_API, { keyId: KEY_ID, keySecret: SECRET });
  await Promise.all(rows.map(([name]) => scene.psets.create(name)));
});
afterAll(() => Promise.all([scene?.end(), server?.stop(), other?.stop()]));

async function memory(): Promise<number> {
  const page = await scene.operator().page('metrics');
  return Number(/^process_resident_memory_bytes (\S+)$/m.exec(page)?.[1]);
}

const names = [...ROWS.map(([name]) => name), ...REDIRECTS.map((status) => `redirect-${status}`)];

test.each(names)('%s gives a clear condition', async (name) => {
  const [, , outcome = '', says = /./] = rows.find(([one]) => one === name) ?? [];
  const object = await scene.psets.until(name, outcome.split(' ')[0] ?? '');
  highestMemory = Math.max(highestMemory, await memory());
  expect(`${ready(object).reason} ${side(object) ?? '–'}`).toBe(outcome);
  expect(ready(object).message).toMatch(says);
  // eslint-disable-next-line no-control-regex -- the point of the test
  expect(ready(object).message).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e]/);
});

test('what a reply calls __proto__ is shown like any other name, and has no say', async () => {
  const { status } = await scene.psets.get('proto');
  expect(status.settings).toEqual({ engine_max_threads: 8 });
  expect(status['otherSettings']).toEqual([
    { field: '__proto__', value: '{"engine_max_threads":1}' },
  ]);
});

test('memory stays bounded, and the key goes to no other host', () => {
  expect(highestMemory).toBeGreaterThan(20e6);
  expect(highestMemory).toBeLessThan(200e6);
  expect(other.connections()).toBe(0);
});

describe('the key', () => {
  test('stands in no log, status, event or metric, though the API says it back', async () => {
    const path = `/apis/events.k8s.io/v1/namespaces/${scene.namespace}/events`;
    const failing = rows.filter(([, , outcome]) => !outcome.startsWith('Applied'));
    // An event comes a moment after the status that it goes with.
    const events = await waitFor(() => asAdmin<{ items: object[] }>('GET', path), {
      what: 'an event about every failure',
      until: ({ items }) => failing.every(([name]) => JSON.stringify(items).includes(`"${name}"`)),
    });
    const texts = {
      log: scene.operator().output(),
      status: JSON.stringify(await scene.psets.list()),
      events: JSON.stringify(events),
      metrics: await scene.operator().page('metrics'),
    };
    expect(texts.log.length).toBeGreaterThan(10_000);
    expect(leaks(texts, FORMS)).toEqual([]);
  });

  test('is not kept from use: the same calls came with it', () => {
    const basic = Buffer.from(`${KEY_ID}:${SECRET}`).toString('base64');
    for (const { head } of server.requests) expect(head).toContain(`Basic ${basic}`);
    expect(server.requests.length).toBeGreaterThanOrEqual(rows.length);
  });
});

test('no status was refused by the API server, and nothing was a bug', async () => {
  const writes = await audit({ user: scene.user, resource: 'pipesettings', verb: 'update' });
  expect(writes.length).toBeGreaterThanOrEqual(rows.length);
  expect(writes.filter(({ code }) => code >= 400 && code !== 409)).toEqual([]);
  expect(scene.operator().lines.filter(({ level }) => level === 'error')).toEqual([]);
});
