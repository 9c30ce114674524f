import { describe, expect, test } from 'vitest';
import { API_HASH, an } from './objects.ts';
import { bad } from './replies.ts';
import { ms, rows } from './rows.ts';
import { at, HOUR, MINUTE, Stage, T0 } from './stage.ts';
import type { Status } from './status.ts';

const VERIFIED: Status = { verified: { time: at(-HOUR), apiHash: API_HASH } };

/**
 * One that asks, made an hour ago, and another one for its pipe: when that was made (after T0 - 1h),
 * its namespace, and what else is true of it. `sent`: the one that asks owns the pipe.
 */
const TABLE = rows<'own' | 'other' | 'made' | 'is' | 'then'>(`
  own      | other | made  | is                   | then
  verified | near  | 1m    | verified             | sent
           | near  | -1m   | verified             | owned by PipeSettings "other"
  verified | near  | -1m   | verified             | owned by PipeSettings "other"
           | near  | 1m    | verified             | owned by PipeSettings "other"
  verified | near  | -1m   |                      | sent
           | far   | 1m    | verified             | owned by an object in another namespace
           | near  | -1m   | verified elsewhere   | PipeSettings "other" is for the pipe too and is older
           | far   | -1m   | verified elsewhere   | sent
           | near  | -1m   | verified, invalid    | sent
           | near  | 1m    | verified, suspended  | owned by PipeSettings "other"
           | near  | 1m    | verified, planned    | owned by PipeSettings "other"
           | near  | 1m    | verified, deleted    | owned by PipeSettings "other"
           | near  | 1m    |                      | sent
           | near  | -1m   |                      | PipeSettings "other" is for the pipe too and is older
           | far   | -1m   |                      | sent
           | near  | -1m   | suspended            | sent
           | near  | -1m   | planned              | sent
           | near  | -1m   | deleted              | sent
           | near  | -1m   | invalid              | sent
           | near  | 0s    | verified             | owned by PipeSettings "other"
  verified | near  | 0s    | verified, lower uid  | owned by PipeSettings "other"
  verified | near  | 0s    | verified, higher uid | sent
           | near  | -1m   | in capitals          | PipeSettings "other" is for the pipe too and is older
`);

function specOf(is: string): object {
  return {
    ...(is.includes('suspended') && { suspend: true }),
    ...(is.includes('planned') && { mode: 'Plan' }),
    ...(is.includes('invalid') && { settings: {} }),
    ...(is.includes('capitals') && { pipeId: 'PIPE' }),
  };
}

function statusOf(is: string): Status {
  if (is.includes('elsewhere'))
    return { verified: { time: at(-HOUR), apiHash: `sha256:${'0'.repeat(64)}` } };
  return is.includes('verified') ? VERIFIED : {};
}

test.each(TABLE)(
  'one that is "$own" beside one made $made later ($other) that is "$is": $then',
  async ({ own, other, made, is, then }) => {
    const stage = new Stage();
    const created = T0 - HOUR + ms(made);
    const uid = { 'lower uid': 'a', 'higher uid': 'z' }[is.split(', ')[1] ?? ''] ?? 'uid-other';
    const creationTimestamp = at(created - T0);
    const deletionTimestamp = is.includes('deleted') ? at(0) : undefined;
    const metadata = { creationTimestamp, uid, ...(deletionTimestamp && { deletionTimestamp }) };
    const namespace = other === 'near' ? 'ingest' : 'far';
    const rival = { name: 'other', namespace, metadata, spec: specOf(is), status: statusOf(is) };
    stage.put(an('PipeSettings', rival));
    const id = stage.put(an('PipeSettings', { status: statusOf(own), metadata: { uid: 'b' } }));
    const seen = await stage.run(id);
    const [ready, log, says] =
      then === 'sent' ? ['True Applied', ['PUT'], ''] : ['False TargetConflict', [], then];
    expect([seen.ready, stage.log, seen.message]).toEqual([
      ready,
      log,
      expect.stringContaining(says),
    ]);
  },
);

describe('a conflict', () => {
  const older = { name: 'other', status: VERIFIED, metadata: { creationTimestamp: at(-2 * HOUR) } };

  test('is Reconciling for five minutes, then Stalled with an event, and ends with the owner', async () => {
    const stage = new Stage();
    const owner = stage.put(an('PipeSettings', older));
    const id = stage.put(an('PipeSettings'));
    const sides: unknown[] = [];
    for (const afterMs of [0, MINUTE, 4 * MINUTE, HOUR]) {
      const { side, wait, events } = await stage.run(id, afterMs);
      sides.push([side, wait, events.length]);
    }
    expect(sides).toEqual([
      ['Reconciling', 5 * MINUTE, 0],
      ['Reconciling', 4 * MINUTE, 0],
      ['Stalled', undefined, 1],
      ['Stalled', undefined, 0],
    ]);
    stage.remove(owner);
    expect((await stage.run(id)).ready).toBe('True Applied');
  });

  test('says how to end it, and to whom an owner is named', async () => {
    const stage = new Stage();
    stage.put(an('Organization', { ...older, namespace: 'far' }));
    const { message } = await stage.run(stage.put(an('Organization')));
    expect(message).toMatch(
      /^The organization is owned by an object in another namespace, so nothing is sent for this object\. Delete one of the two; deleting that one frees the organization, and this one takes over\. Before you delete one with deletionPolicy RemovePrivateEndpoints, set that to Retain: .*To find the other object, .*: kubectl get organizations\.pipewright\.dev -A --field-selector spec\.organizationId=0b1d7c52-91a4-4f0e-8a3b-6f1e2d3c4b5a$/,
    );
  });
});

describe('an owner whose rival was confirmed', () => {
  const confirmed = async (ms: number, spec: object) => {
    const stage = new Stage();
    const id = stage.put(an('PipeSettings', { metadata: { creationTimestamp: at(-2 * HOUR) } }));
    const { status } = await stage.run(id);
    const { applied } = status;
    const later: Status = {
      ...VERIFIED,
      ...(applied && { applied: { ...applied, time: at(ms) } }),
    };
    stage.put(an('PipeSettings', { name: 'other', status: later }));
    if (Object.keys(spec).length > 0) stage.edit(id, spec);
    stage.log.length = 0;
    return [(await stage.run(id)).ready, stage.log.join()];
  };

  test.each([
    ['later sends again', 1_000, {}, ['True Applied', 'PUT']],
    ['in the same second does not: both would send for ever', 0, {}, ['True Applied', '']],
    ['before does not', -1_000, {}, ['True Applied', '']],
    ['later is not Ready while suspended', 1_000, { suspend: true }, ['False Suspended', '']],
    ['later is not Ready in Plan', 1_000, { mode: 'Plan' }, ['False Planned', '']],
  ] as const)('%s', async (_, ms, spec, expected) => {
    expect(await confirmed(ms, spec)).toEqual(expected);
  });
});

test('who was refused by the API is no owner: the next one tries', async () => {
  const stage = new Stage({ api: (_, nth) => (nth === 0 ? bad(401) : undefined) });
  const metadata = { creationTimestamp: at(-2 * HOUR) };
  const spec = { credentialsSecretRef: { name: 'wrong' } };
  stage.secrets.set('wrong', { keyId: 'w', keySecret: 'wrong' });
  const id = stage.put(an('PipeSettings', { name: 'other', namespace: 'ingest', metadata, spec }));
  await stage.run(id);
  stage.edit(id, { suspend: true });
  expect((await stage.run(stage.put(an('PipeSettings')))).ready).toBe('True Applied');
});

test.each([
  [{ suspend: true }, 'False Suspended', 'has not been confirmed. Set spec.suspend to false'],
  [{ mode: 'Plan' }, 'False Planned', '1 change planned; not sent: one PUT with 1 setting'],
  [{ settings: {} }, 'False SpecInvalid', 'The stored spec is not valid: spec.settings must have'],
])('an object with %j sends nothing and says why', async (spec, ready, message) => {
  const stage = new Stage();
  const seen = await stage.run(stage.put(an('PipeSettings', { spec })));
  expect([seen.ready, stage.log, seen.wait]).toEqual([ready, [], undefined]);
  expect(seen.message).toContain(message);
});

test.each([{ suspend: true }, { mode: 'Plan' }])(
  'what was confirmed stays Ready with %j, as long as it is what is declared',
  async (spec) => {
    const stage = new Stage();
    const id = stage.put(an('PipeSettings'));
    await stage.run(id);
    stage.edit(id, spec);
    expect((await stage.run(id)).ready).toMatch(/^True/);
    stage.edit(id, { settings: { engine_max_threads: 9 } });
    expect((await stage.run(id)).ready).toMatch(/^False/);
  },
);

test('with --plan-only nothing is sent for any object, and the message says why', async () => {
  const stage = new Stage({ planOnly: true });
  for (const kind of ['PipeSettings', 'Organization'] as const) {
    const { ready, message } = await stage.run(stage.put(an(kind)));
    expect([ready, message]).toEqual(['False Planned', expect.stringContaining('--plan-only')]);
  }
  expect(stage.log).toEqual([]);
});
