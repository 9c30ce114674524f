import { describe, expect, test } from 'vitest';
import { API_HASH, an, at, HOUR, MINUTE, OTHER_HASH, type Status } from './objects.ts';
import { ms, rows } from './rows.ts';
import { Stage, staged } from './stage.ts';

const VERIFIED: Status = { verified: { time: at(-HOUR), apiHash: API_HASH } };
const OWNED = 'owned by PipeSettings "other"';
const OLDER = 'PipeSettings "other" is for the pipe too and is older';

/**
 * One that asks, made an hour ago, and another one for its pipe: in the same namespace or far, made
 * so much later, and what else is true of it. `sent`: the one that asks owns the pipe.
 */
const TABLE = rows<'own' | 'other' | 'made' | 'is' | 'then'>(`
  own      | other | made  | is                   | then
  verified | near  | 1m    | verified             | sent
           | near  | -1m   | verified             | ${OWNED}
           | near  | 1m    | verified             | ${OWNED}
  verified | near  | -1m   |                      | sent
           | far   | 1m    | verified             | owned by an object in another namespace
           | near  | -1m   | verified elsewhere   | ${OLDER}
           | near  | -1m   | verified, invalid    | sent
           | near  | 1m    | verified, suspended  | ${OWNED}
           | near  | 1m    | verified, planned    | ${OWNED}
           | near  | 1m    | verified, deleted    | ${OWNED}
           | near  | 1m    |                      | sent
           | near  | -1m   |                      | ${OLDER}
           | far   | -1m   |                      | sent
           | near  | -1m   | suspended            | sent
           | near  | -1m   | planned              | sent
  verified | near  | 0s    | verified, lower uid  | ${OWNED}
  verified | near  | 0s    | verified, higher uid | sent
           | near  | -1m   | in capitals          | ${OLDER}
`);

const specOf = (is: string) => ({
  ...(is.includes('suspended') && { suspend: true }),
  ...(is.includes('planned') && { mode: 'Plan' }),
  ...(is.includes('invalid') && { settings: {} }),
  ...(is.includes('capitals') && { pipeId: 'PIPE' }),
});

function statusOf(is: string): Status {
  if (is.includes('elsewhere')) return { verified: { time: at(-HOUR), apiHash: OTHER_HASH } };
  return is.includes('verified') ? VERIFIED : {};
}

test.each(TABLE)('"$own" beside one made $made later ($other), "$is": $then', async (row) => {
  const { own, other, made, is, then } = row;
  const stage = new Stage();
  const metadata = {
    creationTimestamp: at(ms(made) - HOUR),
    uid: is.includes('lower') ? 'a' : 'c',
    ...(is.includes('deleted') && { deletionTimestamp: at(0) }),
  };
  const namespace = other === 'near' ? 'ingest' : 'far';
  const rival = { name: 'other', namespace, metadata, spec: specOf(is), status: statusOf(is) };
  stage.put(an('PipeSettings', rival));
  const id = stage.put(an('PipeSettings', { status: statusOf(own), metadata: { uid: 'b' } }));
  const { ready, message } = await stage.run(id);
  expect([ready, stage.log.join()]).toEqual(
    then === 'sent' ? ['True Applied', 'PUT'] : ['False TargetConflict', ''],
  );
  expect(message).toContain(then === 'sent' ? 'accepted' : then);
});

describe('a conflict', () => {
  const older = { name: 'other', status: VERIFIED, metadata: { creationTimestamp: at(-2 * HOUR) } };

  test('is Reconciling for 5 min, then Stalled with an event, till the owner goes', async () => {
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

  test('says how to end it, and how to find an owner whom it may not name', async () => {
    const stage = new Stage();
    stage.put(an('Organization', { ...older, namespace: 'far' }));
    const { message } = await stage.run(stage.put(an('Organization')));
    expect(message).toMatch(
      /Delete one of the two objects; once the owner is deleted, this object can own the organization\./,
    );
    expect(message).toMatch(
      /kubectl get organizations\.pipewright\.dev -A --field-selector spec\.organizationId=[\w-]+$/,
    );
    expect(message).not.toMatch(/"other"|\bfar\b|\/other/);
  });
});

test.each<readonly [law: string, ms: number, spec: object, then: string]>([
  ['later sends again', 1_000, {}, 'True Applied, PUT'],
  ['in the same second does not: both would for ever', 0, {}, 'True Applied, '],
  ['later is not Ready while suspended', 1_000, { suspend: true }, 'False Suspended, '],
])('an owner whose rival was confirmed %s', async (_, confirmedMs, spec, then) => {
  const { stage, id, run } = staged('PipeSettings');
  const { applied } = (await run()).status;
  const later = applied && { ...applied, time: at(confirmedMs) };
  const metadata = { creationTimestamp: at(-MINUTE) };
  const status: Status = { ...VERIFIED, ...(later && { applied: later }) };
  stage.put(an('PipeSettings', { name: 'other', metadata, status }));
  if (Object.keys(spec).length > 0) stage.edit(id, spec);
  stage.log.length = 0;
  const { ready } = await run();
  expect(`${ready}, ${stage.log.join()}`).toBe(then);
});

describe('without a call', () => {
  test.each([{ suspend: true }, { mode: 'Plan' }])(
    'what was confirmed stays Ready with %j, as long as it is what is declared',
    async (spec) => {
      const { stage, id, run } = staged('PipeSettings');
      await run();
      stage.edit(id, spec);
      expect((await run()).ready).toMatch(/^True/);
      stage.edit(id, { settings: { engine_max_threads: 9 } });
      expect((await run()).ready).toMatch(/^False/);
    },
  );

  test.each(['PipeSettings', 'Organization'] as const)('by --plan-only: %s', async (kind) => {
    const { stage, run } = staged(kind, {}, { planOnly: true });
    const { ready, message } = await run();
    expect([ready, stage.log]).toEqual(['False Planned', []]);
    expect(message).toContain('--plan-only');
  });
});
