import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { KINDS } from '../../support/states.ts';
import { isOfKey, isUnknown, REFUSALS } from './recovery-faults.ts';
import { ail, BAD, cure, type Lab, openLab, SPECS } from './recovery-lab.ts';

const WRITERS = ['PipeSettings', 'Organization'] as const;
const ENTRIES = Object.entries(REFUSALS);
const EDITS = WRITERS.flatMap((kind) =>
  ENTRIES.filter(([refusal]) => !isOfKey(refusal)).map(([refusal, fault]) => ({
    kind,
    refusal,
    fault,
  })),
);
const OUTAGES = KINDS.flatMap((kind) =>
  ENTRIES.map(([refusal, fault]) => ({ kind, refusal, fault })),
);
const UNUSABLE = {
  absent: 'SecretNotFound',
  empty: 'SecretInvalid',
  wrong: 'Unauthorized',
} as const;
const SECRETS = KINDS.flatMap((kind) =>
  (['absent', 'empty', 'wrong'] as const).map((secret) => ({ kind, secret })),
);
const slug = (...parts: readonly string[]): string =>
  parts
    .join('-')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-');

/** While one turns its clock, others of the same operator would be helped on. */
let still: Lab;
let turning: Lab;
beforeAll(async () => {
  [still, turning] = await Promise.all([openLab(), openLab()]);
});
afterAll(() => Promise.all([still.end(), turning.end()]));

describe.concurrent('R8: an edit that the API does not take is undone by the next one, at once', () => {
  test.each(EDITS)('$kind, $refusal', async ({ kind, refusal, fault }) => {
    const turn = isUnknown(refusal);
    const lab = turn ? turning : still;
    const patient = await lab.patient(kind, slug('edit', kind, refusal));
    const match = { ...patient.match, bodyIncludes: BAD[kind] };
    ail(lab, fault, match);
    await patient.edit(SPECS[kind].bad);
    // What took effect all the same is seen by the next look, however soon others turn the clock.
    await (turn ? lab.scene.simulator.waitForCalls(1, { match }) : patient.untilFailed(1));
    await patient.edit();
    expect(await patient.untilWell({ turn })).toEqual(patient.before);
  });
});

describe.concurrent('R8: a failure of the API passes by itself, within the longest wait of its class', () => {
  test.each(OUTAGES)('$kind, $refusal', async ({ kind, refusal, fault }) => {
    const patient = await turning.patient(kind, slug(kind, refusal));
    ail(turning, fault, patient.match);
    await patient.request();
    await patient.untilFailed(4);
    cure(turning, patient.match);
    expect(await patient.untilWell({ turn: true })).toEqual(patient.before);
  });
});

describe.concurrent('R8: a Secret that was unusable is used as soon as it is right', () => {
  test.each(SECRETS)('$kind, $secret', async ({ kind, secret }) => {
    const { scene } = still;
    const patient = await still.patient(kind, slug(kind, secret));
    // The request may be noticed before the Secret is: then it fails for the former key.
    patient.revoke();
    if (secret === 'absent') await scene.removeSecret(patient.keyOf);
    if (secret === 'empty') await scene.secret(patient.keyOf, { nothing: 'here' });
    if (secret === 'wrong')
      await scene.secret(patient.keyOf, { keyId: patient.keyOf, keySecret: 'wrong' });
    await patient.request();
    await patient.untilFailed(1, UNUSABLE[secret]);
    await scene.newKey(patient.keyOf);
    expect(await patient.untilWell()).toEqual(patient.before);
  });
});
