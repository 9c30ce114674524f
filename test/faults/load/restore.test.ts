import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { KubeObject } from '../../../src/kube/resource.ts';
import { type Simulator, startSimulator } from '../../simulator/simulator.ts';
import { dayClock } from './day-clock.ts';
import { type DayKube, dayKube } from './day-kube.ts';
import { NAMESPACE, runOperator } from './day-operator.ts';

const GUIDE = 'deploy/guides/backup.md';
const OBJECTS = 1_000;
const MINUTE = 60_000;
const PSETS = `/apis/pipewright.dev/v1alpha1/namespaces/${NAMESPACE}/pipesettings`;
const SECRET = `/api/v1/namespaces/${NAMESPACE}/secrets/key`;
const NAMES = Array.from({ length: OBJECTS }, (_, index) => `pipe-${index}`);

let simulator: Simulator;
/** As a backup has them: without what the cluster gives. */
let backup: readonly KubeObject[] = [];
beforeAll(async () => {
  simulator = await startSimulator({ keys: { key: 'secret' }, keepLog: false });
});
afterAll(() => simulator.stop());

/** What each object had of its own when it came to this cluster. */
function restored(index: number, status: unknown): KubeObject {
  const name = `pipe-${index}`;
  const metadata = { name, namespace: NAMESPACE, uid: crypto.randomUUID(), generation: 1 };
  return {
    metadata: { ...metadata, resourceVersion: '', creationTimestamp: '2025-12-31T00:00:00Z' },
    spec: {
      organizationId: '0b1d7c52-91a4-4f0e-8a3b-6f1e2d3c4b5a',
      serviceId: 'service',
      pipeId: name,
      credentialsSecretRef: { name: 'key' },
      settings: { engine_max_threads: 8 },
    },
    ...(status !== undefined && { status }),
  };
}

/** What a restore of these costs until all are Applied at the present generation, and rest. */
async function costOf(statusOf: (index: number) => unknown): Promise<{
  calls: number;
  minutes: number;
}> {
  const clock = dayClock();
  const kube = dayKube(clock);
  const encoded = (text: string): string => Buffer.from(text).toString('base64');
  const metadata = { ...restored(0, undefined).metadata, name: 'key' };
  const data = { keyId: encoded('key'), keySecret: encoded('secret') };
  kube.store(SECRET, { metadata, data } as KubeObject);
  for (const [index, name] of NAMES.entries())
    kube.store(`${PSETS}/${name}`, restored(index, statusOf(index)));
  const before = simulator.callCount();
  const operator = await runOperator({ simulator, kube, clock });
  let minutes = 0;
  for (; minutes < 60 && !(minutes > 0 && areApplied(kube)); minutes += 1)
    await operator.pass(MINUTE);
  const calls = simulator.callCount() - before;
  await operator.pass(60 * MINUTE);
  expect(simulator.callCount() - before, 'an hour later').toBe(calls);
  backup = NAMES.map((name) => kube.get(`${PSETS}/${name}`));
  await operator.end();
  return { calls, minutes: calls === 0 ? 0 : minutes };
}

function areApplied(kube: DayKube): boolean {
  return NAMES.every((name) => {
    const { conditions = [] } = (kube.get(`${PSETS}/${name}`).status ?? {}) as {
      conditions?: readonly { reason: string; observedGeneration: number }[];
    };
    return conditions.some((one) => one.reason === 'Applied' && one.observedGeneration === 1);
  });
}

/** A status of an object that had been edited twice. */
function edited(status: unknown): unknown {
  return JSON.parse(
    JSON.stringify(status).replaceAll(/"(generation|observedGeneration)":1\b/g, '"$1":3'),
  );
}

/** The table of the guide, by its first column. */
async function stated(row: string): Promise<{ calls: number; minutes: number }> {
  const table = (await readFile(GUIDE, 'utf8')).matchAll(/^\| (.+?) \| ([\d,]+) \| (\d+) \|$/gm);
  const found = [...table].find(([, name]) => name === row);
  if (!found) throw new Error(`${GUIDE} has no row "${row}" with two figures`);
  const [, , calls = '', minutes = ''] = found;
  return { calls: Number(calls.replaceAll(',', '')), minutes: Number(minutes) };
}

describe('Restore: 1,000 PipeSettings of one key cost what the guide says', () => {
  const rows = [
    ['without status', () => undefined],
    ['with status, never edited', (index: number) => backup[index]?.status],
    ['with status, edited', (index: number) => edited(backup[index]?.status)],
  ] as const;
  test.each(rows)('%s', async (row, statusOf) => {
    expect(await costOf(statusOf)).toEqual(await stated(row));
  });
});
