import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { waitFor } from '../../controlplane/client.ts';
import { leaks } from '../../support/canary.ts';
import { writesOf } from '../../support/cluster.ts';
import { metric } from '../../support/exposition.ts';
import { list } from '../../support/organizations.ts';
import { answerText, type RawServer, startRawServer } from '../../support/raw-server.ts';
import { openScene, type Scene } from '../../support/scene.ts';
import { SECRET as MANAGEMENT_API, type Pset } from '../../support/scene-objects.ts';
import { ready, side } from '../../support/watching.ts';
import type { Answer } from './replies.ts';
import { FORMS, KEY_ID, ORGANIZATIONS, PAUSING, ROWS, type Row, SECRET } from './replies.ts';

/** Every answer gives a condition that a user can read, and never the key. */

let scene: Scene;
let server: RawServer;
let highestMemory = 0;

beforeAll(async () => {
  const ids = ORGANIZATIONS.map(() => randomUUID());
  const answers = new Map<string, Answer>([
    ...[...ROWS, ...PAUSING].map(([name, answer]) => [name, answer] as const),
    ...ORGANIZATIONS.map(([, answer], at) => [ids[at] ?? '', answer] as const),
  ]);
  server = await startRawServer(({ head }, socket) => {
    const [, pipe, organization] =
      /^(?:PUT \S*\/([^/ ]+)\/\S*|PATCH \S*\/(\S+)) HTTP/.exec(head) ?? [];
    const answer = answers.get(pipe ?? organization ?? '');
    if (typeof answer === 'function') answer(socket);
    else socket.write(answer ?? answerText(500, ''));
  });
  const flags = ['--api-timeout', '8s', '--api-in-flight', '100', '--log-level', 'trace'];
  scene = await openScene({ apiUrl: server.url, flags });
  await scene.secret(MANAGEMENT_API, { keyId: KEY_ID, keySecret: SECRET });
  const spec = { name: 'Acme', ...list('a') };
  await Promise.all([
    ...ROWS.map(([name]) => scene.psets.create(name)),
    ...ids.map((organizationId, at) =>
      scene.orgs.create(ORGANIZATIONS[at]?.[0] ?? '', { organizationId, ...spec }),
    ),
  ]);
});
afterAll(() => Promise.all([scene?.end(), server?.stop()]));

async function memory(): Promise<number> {
  return metric(await scene.operator().page('metrics'), 'process_resident_memory_bytes');
}

async function expectOf(object: Pset, [, , outcome, says]: Row): Promise<void> {
  highestMemory = Math.max(highestMemory, await memory());
  expect(`${ready(object).reason} ${side(object) ?? '–'}`).toBe(outcome);
  expect(ready(object).message).toMatch(says);
  // eslint-disable-next-line no-control-regex -- the point of the test
  expect(ready(object).message).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e]/);
}
const reasonOf = (outcome: string): string => outcome.split(' ')[0] ?? '';

test.each(ROWS)('%s: a PipeSettings has a clear condition', async (...row) => {
  await expectOf(await scene.psets.until(row[0], reasonOf(row[2])), row);
});

test.each(ORGANIZATIONS)('%s: an Organization has a clear condition', async (...row) => {
  await expectOf(await scene.orgs.until(row[0], reasonOf(row[2])), row);
});

test('memory stays bounded', () => {
  expect(highestMemory).toBeGreaterThan(20e6);
  expect(highestMemory).toBeLessThan(200e6);
});

test('a key that is paused, refused or of no use is told of as clearly', async () => {
  for (const row of PAUSING) {
    await scene.psets.create(row[0]);
    await expectOf(await scene.psets.until(row[0], reasonOf(row[2])), row);
  }
  await scene.secret('unusable', { keyId: KEY_ID, keySecret: `${SECRET}\n${SECRET}` });
  await scene.psets.create('unusable', { credentialsSecretRef: { name: 'unusable' } });
  await scene.psets.until('unusable', 'SecretInvalid');
});

test('the key stands in no log, status, event or metric, though the API says it back', async () => {
  const rows = [...ROWS, ...ORGANIZATIONS, ...PAUSING];
  const failing = rows.filter(([, , outcome]) => !outcome.startsWith('Applied'));
  // An event comes a moment after the status that it goes with.
  const events = await waitFor(() => scene.events(), {
    what: 'an event about every failure',
    until: (all) => failing.every(([name]) => all.some(({ regarding }) => regarding.name === name)),
  });
  const texts = {
    log: scene.operator().output(),
    status: JSON.stringify([await scene.psets.list(), await scene.orgs.list()]),
    events: JSON.stringify(events),
    metrics: await scene.operator().page('metrics'),
  };
  for (const [name] of rows) expect(texts.log).toContain(`"${name}"`);
  expect(leaks(texts, FORMS)).toEqual([]);
});

test('no status or event was refused by the API server, and nothing was a bug', async () => {
  const writes = await writesOf(scene.user);
  expect(writes.length).toBeGreaterThanOrEqual(ROWS.length);
  expect(writes.filter(({ code }) => code >= 400 && code !== 409)).toEqual([]);
  expect(scene.operator().lines.filter(({ level }) => level === 'error')).toEqual([]);
});
