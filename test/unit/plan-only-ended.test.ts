import { expect, test } from 'vitest';
import { forecasters } from '../../src/kinds/forecasts.ts';
import { definition } from '../../src/kinds/organization/definition.ts';
import type { OrganizationStatus } from '../../src/kinds/organization/resource.ts';
import { readyOf } from '../../src/kinds/status/common-status.ts';
import { ForecastStage } from '../support/forecast-stage.ts';
import { BASE_URL } from '../support/objects.ts';
import { e } from '../support/organization-entries.ts';

const ID = '7f0e0b1d-0000-4000-8000-000000000000';
const SPEC = {
  organizationId: ID,
  credentialsSecretRef: { name: 'api' },
  name: 'Acme Data',
  privateEndpoints: [e('psc-1')],
  reassertInterval: '24h',
};

/** An Organization that was brought about, then looked at by an operator with --plan-only. */
async function looked(spec: object): Promise<ForecastStage> {
  const stage = new ForecastStage(definition, () => 'ingest');
  stage.apply('acme', spec);
  await stage.settle();
  await look(stage);
  return stage;
}

function statusIn(stage: ForecastStage): OrganizationStatus | undefined {
  return stage.get('acme')?.status as OrganizationStatus | undefined;
}

async function look(stage: ForecastStage): Promise<void> {
  stage.sent = [];
  stage.restart({ planOnly: true });
  await stage.settle();
  expect(stage.sent).toEqual([]);
  expect(readyOf(statusIn(stage))?.reason).toBe('Planned');
}

function foreseen(stage: ForecastStage) {
  const objects = stage.objects();
  const [object] = objects;
  if (!object) throw new Error('nothing was applied');
  return forecasters.Organization?.forecast(object, {
    baseUrl: BASE_URL,
    planOnly: false,
    apiTimeoutMs: 35_000,
    cleanupDeadlineMs: 600_000,
    now: stage.clock.now(),
    others: objects,
    all: objects,
  });
}

/** What an operator without it sends, which is what was foreseen. */
async function letAct(stage: ForecastStage): Promise<number> {
  const does = foreseen(stage)?.does;
  stage.restart();
  await stage.settle();
  expect(does).toBe(stage.sent.length === 0 ? 'nothing' : 'send');
  return stage.sent.length;
}

test('a confirmed Organization is not looked at again before its time, and its ledger stays', async () => {
  const stage = await looked(SPEC);
  const before = statusIn(stage);
  expect(await letAct(stage)).toBe(0);
  const status = statusIn(stage);
  expect(status).toMatchObject({
    conditions: [{ status: 'True', reason: 'Applied' }],
    applied: before?.applied,
    privateEndpoints: [{ id: 'psc-1', origin: 'Added', state: 'Present' }],
  });
  expect(status).not.toHaveProperty('plan');
  await stage.pass(27 * 3_600_000);
  expect(stage.sent).toHaveLength(1);
});

test('one that was edited meanwhile is looked at', async () => {
  const stage = await looked(SPEC);
  stage.apply('acme', { ...SPEC, privateEndpoints: [e('psc-1'), e('psc-2')] });
  await look(stage);
  expect(await letAct(stage)).toBe(2);
});

test('one with differences is looked at, because only a look can say what they mean', async () => {
  const stage = await looked({
    ...SPEC,
    privateEndpoints: [{ ...e('psc-1'), description: 'first' }],
  });
  stage.apply('acme', { ...SPEC, privateEndpoints: [{ ...e('psc-1'), description: 'second' }] });
  stage.restart();
  await stage.settle();
  const { message } = readyOf(statusIn(stage)) ?? {};
  expect(message).toContain('another description');
  await look(stage);
  expect(await letAct(stage)).toBe(1);
  expect(readyOf(statusIn(stage))?.message).toContain('another description');
});
