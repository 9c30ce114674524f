import { expect, test } from 'vitest';
import { isMisdated } from '../simulation/invariants/misdated.ts';
import type { Thing } from '../simulation/kubernetes/objects.ts';
import type { ApiCall } from '../simulation/record/facts.ts';

const MINUTE = 60_000;
const WALL = Date.parse('2026-03-01T12:00:00Z');

function applied(name: string, requestId: string, minutes: number): Thing {
  const time = new Date(WALL + minutes * MINUTE).toISOString();
  const metadata = {
    name,
    namespace: `of-${name}`,
    uid: name,
    resourceVersion: '1',
    creationTimestamp: new Date(WALL).toISOString(),
  };
  return {
    apiVersion: 'pipewright.dev/v1alpha1',
    kind: 'PipeSettings',
    metadata,
    spec: {},
    status: { applied: { time, requestId } },
  };
}

/**
 * A call of a rival, which a shard by itself has made in the 14th minute, after the object was
 * confirmed in the 8th.
 */
function misdated({
  own,
  rival,
  clock,
}: {
  readonly own: number;
  readonly rival: number;
  readonly clock: number;
}): boolean {
  const thing = applied('own', 'request-1', own);
  const other = applied('rival', 'request-2', rival);
  const call: ApiCall = {
    id: 1,
    process: 'shard-1',
    host: 'api.example.com',
    method: 'PUT',
    path: '/',
    text: '',
    body: {},
    credential: { keyId: '', secret: '' },
    target: 'pipe',
    leftAt: 14 * MINUTE,
    executions: [],
    reply: {
      at: 14 * MINUTE,
      status: 200,
      requestId: 'request-2',
      error: undefined,
      result: {},
      headers: {},
    },
  };
  const life = {
    wall: WALL,
    world: { flags: { timeoutSeconds: 35 } },
    objects: () => [thing, other].map((one) => ({ plural: 'pipesettings' as const, thing: one })),
    fleet: { isSeenBy: () => false, processes: [{ host: { now: () => WALL + clock * MINUTE } }] },
  };
  return isMisdated(call, { thing, confirmedAt: 8 * MINUTE, life });
}

test.each([
  ['clocks are right', { own: 8, rival: 14, clock: 27 }, false],
  ['its own clock was ahead, and that time is to come', { own: 68, rival: 14, clock: 27 }, false],
  [
    'its own clock was ahead, and the present one has come so far',
    { own: 68, rival: 14, clock: 87 },
    true,
  ],
  ["the rival's clock was ahead", { own: 8, rival: 74, clock: 27 }, true],
  ["the rival's clock was behind", { own: 8, rival: -46, clock: 27 }, true],
])('whether nobody can tell that a rival came later: %s', (_, clocks, expected) => {
  expect(misdated(clocks)).toBe(expected);
});
