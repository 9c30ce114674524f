import { describe, expect, test } from 'vitest';
import { settle } from '../../support/fake-clock.ts';
import { an, at, MINUTE, REQUESTED_AT, type Wanted } from './objects.ts';
import { bad, type Reply } from './process.ts';
import { Stage, type StageOptions } from './stage.ts';

/** Objects for a pipe each, that share one key. */
function several(options: StageOptions = {}) {
  const stage = new Stage(options);
  const put = (name: string, wanted: Wanted = {}) =>
    stage.put(an('PipeSettings', { name, ...wanted, spec: { pipeId: name, ...wanted.spec } }));
  const begin = async (name: string) => {
    const { ready, result } = await stage.start(`PipeSettings/ingest/${name}`);
    return `${ready}, ${result.did}`;
  };
  const sent = () => stage.paths.map((path) => path.split('/').at(-2)).join(' ');
  return { stage, put, begin, sent };
}

test('a target is called for by one attempt at a time; the other follows', async () => {
  const answers: ((reply: Reply) => void)[] = [];
  const api = () => new Promise<Reply>((resolve) => answers.push(resolve));
  const { stage, put, begin, sent } = several({ api, limits: { inFlight: 2 } });
  for (const name of ['a', 'b']) put(name);
  stage.put(an('PipeSettings', { name: 'far', namespace: 'far', spec: { pipeId: 'A' } }));
  const first = begin('a');
  await settle();
  stage.woken.length = 0;
  const second = await stage.start('PipeSettings/far/far');
  expect([second.result.did, sent(), stage.woken]).toEqual(['target-busy', 'a', []]);
  const third = begin('b');
  await settle();
  expect(sent(), 'it keeps no permit').toBe('a b');
  for (const resolve of answers) resolve(bad(503));
  await Promise.all([first, third]);
  expect(stage.woken).toContain('PipeSettings/far/far user');
});

test('who waits for 30 s says once how many are before it', async () => {
  const api = () => new Promise<Reply>(() => undefined);
  const { stage, put, begin } = several({ api, limits: { inFlight: 1 } });
  for (const name of ['a', 'b', 'c']) {
    put(name);
    void begin(name);
    await stage.clock.advance(1_000);
  }
  await stage.clock.advance(27_000);
  expect(stage.log).toEqual([]);
  await stage.clock.advance(60 * MINUTE);
  const { reason, type, message } =
    stage.get('PipeSettings/ingest/c').status?.conditions?.[1] ?? {};
  expect(`${stage.log.join()}: ${type} ${reason}`).toBe('save,save: Reconciling Pending');
  expect(message).toMatch(
    /^Waits until the rate limit of its API key allows a call; 1 call is before it\. /,
  );
});

describe('a key that the API has refused', () => {
  test('is not tried for others: they show it, with one write and no time', async () => {
    const { stage, put, begin, sent } = several({ api: () => bad(401) });
    for (const name of ['a', 'b']) put(name);
    expect(await begin('a')).toBe('False Unauthorized, put');
    expect(await begin('b')).toBe('False Unauthorized, key-refused');
    const { status } = stage.get('PipeSettings/ingest/b');
    expect(status).not.toHaveProperty('nextAttemptTime');
    expect(status?.conditions?.[0]?.message).toContain(
      'Only trial calls are made with it until one succeeds or the Secret changes',
    );
    await begin('b');
    expect([sent(), stage.get('PipeSettings/ingest/b').status]).toEqual(['a', status]);
  });

  test('leaves what is Ready and unedited as it is, also where its time has come', async () => {
    const { stage, put, begin, sent } = several();
    const id = put('ready', { spec: { reassertInterval: '10m' } });
    await begin('ready');
    const { status } = stage.get(id);
    stage.options = { api: () => bad(401) };
    await stage.clock.advance(12 * MINUTE);
    put('a');
    await begin('a');
    expect(await begin('ready')).toBe('True Applied, key-refused');
    expect([sent(), stage.get(id).status]).toEqual(['ready a', status]);
  });
});

describe('an object is reconciled when', () => {
  const { metadata, ...rest } = an('PipeSettings', { name: 'own' });
  test.each<readonly [law: string, change: object, woken: string]>([
    ['its spec changes', { generation: 2 }, 'own user, rival user'],
    ['it is deleted', { deletionTimestamp: at(0) }, 'own user, rival user'],
    ['its finalizers change', { finalizers: ['x/y'] }, 'own user'],
    ['it is asked for', { annotations: { [REQUESTED_AT]: 'x' } }, 'own user'],
    ['it is asked for by an empty value: not', { annotations: { [REQUESTED_AT]: '' } }, ''],
    ['its status or another annotation changes: not', { annotations: { other: 'x' } }, ''],
  ])('%s; those of its target with what may change the owner', (_, change, woken) => {
    const { stage, put } = several();
    stage.put({ metadata, ...rest });
    put('rival', { spec: { pipeId: 'PIPE' } });
    put('alone');
    stage.woken.length = 0;
    const status = { ...rest.status, attempts: 3 };
    stage.put({ ...rest, metadata: { ...metadata, ...change }, status });
    expect(stage.woken.join(', ').replaceAll('PipeSettings/ingest/', '')).toBe(woken);
  });
});
