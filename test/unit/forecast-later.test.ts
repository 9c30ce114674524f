import { expect, test } from 'vitest';
import { forecasters } from '../../src/kinds/forecasts.ts';
import type { KubeObject } from '../../src/kube/resource.ts';
import { BASE_URL } from '../support/objects.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');
const at = (ms: number): string => new Date(NOW + ms).toISOString();

function pipe(namespace: string, status: object): KubeObject {
  return {
    metadata: {
      name: 'orders',
      namespace,
      uid: namespace,
      resourceVersion: '1',
      generation: 1,
      creationTimestamp: at(-3_600_000),
    },
    spec: {
      organizationId: 'o',
      serviceId: 's',
      pipeId: 'p',
      credentialsSecretRef: { name: 'api' },
      settings: { engine_max_threads: 4 },
    },
    status,
  };
}

test('a refused object beside an unanswered one of another namespace is sent at its time', () => {
  const time = at(-1_000);
  const refused = pipe('ours', {
    observedGeneration: 1,
    attempts: 1,
    nextAttemptTime: at(60_000),
    lastRequest: {
      operation: 'UpdatePipeSettings',
      httpStatus: 404,
      outcome: 'Rejected',
      time,
    },
    conditions: [
      {
        type: 'Ready',
        status: 'False',
        reason: 'NotFound',
        message: '',
        observedGeneration: 1,
        lastTransitionTime: time,
      },
    ],
  });
  const all = [refused, pipe('theirs', {})];
  const forecast = forecasters.PipeSettings?.forecast(refused, {
    baseUrl: BASE_URL,
    planOnly: false,
    apiTimeoutMs: 35_000,
    cleanupDeadlineMs: 600_000,
    now: NOW,
    others: all,
    all,
  });
  expect(forecast).toMatchObject({ does: 'send', at: NOW + 60_000 });
});
