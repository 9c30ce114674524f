import { describe, expect, test } from 'vitest';
import { settle } from '../../support/fake-clock.ts';
import { an, type Wanted } from './objects.ts';
import type { Reply } from './process.ts';
import { bad, ok } from './replies.ts';
import { at, MINUTE, REQUESTED_AT, SECOND, Stage, type StageOptions } from './stage.ts';
import type { KindName } from './status.ts';

const FINALIZERS = { finalizers: ['pipewright.dev/remove-private-endpoints'] };

/** Objects for a pipe each, that share one key; the API answers when the test says so. */
function several(options: StageOptions = {}) {
  const stage = new Stage(options);
  const put = (name: string, wanted: Wanted = {}) =>
    stage.put(an('PipeSettings', { name, ...wanted, spec: { pipeId: name, ...wanted.spec } }));
  const begin = (name: string) => {
    const seen = stage.start(`PipeSettings/ingest/${name}`);
    return seen.then(({ ready, result }) => `${ready}, ${result.did}`);
  };
  return { stage, put, begin };
}

/** The API keeps its answers back. */
function held() {
  const answers: ((reply?: Reply) => void)[] = [];
  const api = () =>
    new Promise<Reply>((resolve) => answers.push((reply) => resolve(reply ?? bad(503))));
  return { answers, api: api as NonNullable<StageOptions['api']> };
}
const sentFor = ({ paths }: Stage) => paths.map((path) => path.split('/').at(-2)).join(' ');

describe('the line of one key', () => {
  test('is shown in the status after 30 s, once, with how many are before; not of what is Ready', async () => {
    const { stage, put, begin } = several({ limits: { rate: { calls: 1, perMs: 100 * SECOND } } });
    put('ready');
    await begin('ready');
    for (const name of ['b', 'c']) put(name);
    stage.ask('PipeSettings/ingest/ready', 'now');
    const all = ['b', 'c', 'ready'].map(begin);
    await stage.clock.advance(29 * SECOND);
    expect(stage.saved).toEqual([]);
    await stage.clock.advance(61 * SECOND);
    const messages = stage.saved.map(
      ({ conditions = [] }) => conditions[0]?.message.split('. ')[0],
    );
    expect(messages).toEqual([
      'Waits for a call with its API key; 2 calls are before it',
      'Waits for a call with its API key; 2 calls are before it',
    ]);
    await stage.clock.advance(900 * SECOND);
    await Promise.all(all);
  });
});

describe('one target', () => {
  test('is called for by one attempt at a time; the other is reconciled when that ends', async () => {
    const { answers, api } = held();
    const { stage, put, begin } = several({ api, limits: { inFlight: 2 } });
    for (const name of ['a', 'b']) put(name);
    stage.put(an('PipeSettings', { name: 'far', namespace: 'far', spec: { pipeId: 'A' } }));
    const first = begin('a');
    await settle();
    stage.woken.length = 0;
    const second = await stage.start('PipeSettings/far/far');
    expect([second.result.did, stage.paths.length, stage.woken]).toEqual(['target-busy', 1, []]);
    const third = begin('b');
    await settle();
    expect(sentFor(stage), 'it keeps no permit').toBe('a b');
    for (const answer of answers) answer();
    await Promise.all([first, third]);
    expect(stage.woken).toContain('PipeSettings/far/far user');
  });

  test('taken by an owner while the permit was waited for: nothing is sent', async () => {
    const { answers, api } = held();
    const { stage, put, begin } = several({ api, limits: { inFlight: 1 } });
    put('other');
    const first = begin('other');
    await settle();
    const id = put('a');
    const second = begin('a');
    await settle();
    const { status = {} } = stage.get(id);
    const verified = { time: at(0), apiHash: `sha256:${'0'.repeat(64)}` };
    stage.put(
      an('PipeSettings', {
        name: 'z',
        spec: { pipeId: 'a' },
        status: { ...status, verified },
        metadata: { creationTimestamp: at(-9 * 60 * MINUTE) },
      }),
    );
    answers.shift()?.();
    expect([await first, await second]).toEqual([
      expect.anything(),
      'False TargetConflict, wait-for-owner',
    ]);
    expect(sentFor(stage)).toBe('other');
  });
});

describe('a key that the API has refused', () => {
  test('is not tried for others: they show it with no time of their own, and one write', async () => {
    const { stage, put, begin } = several({ api: () => bad(401) });
    for (const name of ['a', 'b']) put(name);
    expect(await begin('a')).toBe('False Unauthorized, put');
    expect(await begin('b')).toBe('False Unauthorized, key-refused');
    const { status } = stage.get('PipeSettings/ingest/b');
    expect(status).not.toHaveProperty('nextAttemptTime');
    expect(status?.conditions?.[0]?.message).toMatch(
      /^The API refused the key in the Secret "api" \(HTTP 401\)\. No call is made with it until a trial call succeeds or the Secret changes/,
    );
    await begin('b');
    expect([sentFor(stage), stage.get('PipeSettings/ingest/b').status]).toEqual(['a', status]);
  });

  test('leaves what is Ready and unedited as it is, also where its time has come', async () => {
    const { stage, put, begin } = several();
    const id = put('ready', { spec: { reassertInterval: '10m' } });
    await begin('ready');
    const { status } = stage.get(id);
    stage.options = { api: () => bad(401) };
    await stage.clock.advance(12 * MINUTE);
    put('a');
    await begin('a');
    expect(await begin('ready')).toBe('True Applied, key-refused');
    expect([sentFor(stage), stage.get(id).status]).toEqual(['ready a', status]);
  });

  test('is tried by the one that has waited longest, and wakes all when that works', async () => {
    const { stage, put, begin } = several({ api: () => bad(401) });
    for (const name of ['a', 'b']) put(name);
    await begin('a');
    await begin('b');
    stage.woken.length = 0;
    while (stage.woken.length === 0) await stage.clock.advance(SECOND);
    expect(stage.woken[0]).toBe('PipeSettings/ingest/a woken');
    stage.options = {};
    expect(await begin('a')).toBe('True Applied, put');
    expect(stage.woken).toContain('PipeSettings/ingest/b woken');
    expect(await begin('b')).toBe('True Applied, put');
  });

  test.each<readonly [law: string, kind: KindName, metadata: object]>([
    ['a person asks', 'PipeSettings', { annotations: { [REQUESTED_AT]: 'now' } }],
    ['the object is deleted', 'Organization', { ...FINALIZERS, deletionTimestamp: at(0) }],
  ])('is tried before its time where %s', async (_, kind, metadata) => {
    const { stage, put, begin } = several({ api: () => bad(401) });
    put('a');
    await begin('a');
    const removes = { deletionPolicy: 'RemovePrivateEndpoints' };
    const spec = kind === 'Organization' ? removes : { pipeId: 'b' };
    const endpoint = {
      id: 'x',
      cloudProvider: 'gcp',
      region: 'r1',
      origin: 'Added',
      state: 'Present',
    };
    const status = kind === 'Organization' ? { privateEndpoints: [endpoint] } : {};
    await stage.run(stage.put(an(kind, { name: 'b', spec, status, metadata })));
    expect(stage.paths).toHaveLength(2);
  });
});

test('after a pause of the key what was observed before it is observed again', async () => {
  const privateEndpoints = [{ id: 'a', cloudProvider: 'gcp', region: 'r1' }];
  const shown = (body = '') =>
    ok({ privateEndpoints: body.includes('"a"') ? privateEndpoints : [] });
  const stage = new Stage({
    limits: { inFlight: 1 },
    api: ({ body, method }) =>
      method === 'PATCH' ? shown(body) : bad(429, { retryAfterMs: 5_000 }),
    on: (step) => void (step === 'finalizer on' && stage.start('PipeSettings/ingest/pipe')),
  });
  stage.put(an('PipeSettings', { name: 'pipe' }));
  const spec = { deletionPolicy: 'RemovePrivateEndpoints', name: undefined, privateEndpoints };
  await stage.run(stage.put(an('Organization', { spec })));
  expect(stage.log.join()).toBe('PATCH,finalizer on,PUT,PATCH,save +a,PATCH');
});

describe('an object is reconciled when', () => {
  const { metadata, ...rest } = an('PipeSettings', { name: 'own' });
  test.each<readonly [law: string, change: object, woken: readonly string[]]>([
    ['its spec changes', { generation: 2 }, ['own user', 'rival user']],
    ['it is deleted', { deletionTimestamp: at(0) }, ['own user', 'rival user']],
    ['its finalizers change', { finalizers: ['x/y'] }, ['own user']],
    ['it is asked for', { annotations: { [REQUESTED_AT]: 'x' } }, ['own user']],
    ['no other annotation', { annotations: { other: 'x' } }, []],
    ['no label', { labels: { a: 'b' } }, []],
  ])('%s; those of its target with what may change the owner', (_, change, woken) => {
    const stage = new Stage();
    stage.put({ metadata, ...rest });
    stage.put(an('PipeSettings', { name: 'rival', spec: { pipeId: 'PIPE' } }));
    stage.put(an('PipeSettings', { name: 'alone', spec: { pipeId: 'another' } }));
    stage.woken.length = 0;
    stage.put({ ...rest, metadata: { ...metadata, ...change } });
    expect(stage.woken.map((id) => id.replace('PipeSettings/ingest/', ''))).toEqual(woken);
  });

  test('no status but one that makes it an owner, or says that it was confirmed', async () => {
    const { stage, put } = several();
    const id = put('a');
    put('b', { spec: { pipeId: 'a' } });
    stage.woken.length = 0;
    stage.put({ ...stage.get(id), status: { ...stage.get(id).status, attempts: 3 } });
    expect(stage.woken).toEqual([]);
    await stage.run(id);
    expect(stage.woken).toEqual(['PipeSettings/ingest/b user']);
    stage.woken.length = 0;
    stage.remove(id);
    expect(stage.woken).toEqual(['PipeSettings/ingest/a user', 'PipeSettings/ingest/b user']);
  });

  test('its Secret changes; after a start what was not known goes ahead', async () => {
    const { stage, put, begin } = several();
    put('a');
    await begin('a');
    put('b');
    stage.woken.length = 0;
    stage.secrets.set('api', { keyId: 'x', keySecret: 'y' });
    stage.secrets.poll('api');
    expect(stage.woken).toEqual([
      'PipeSettings/ingest/a scheduled',
      'PipeSettings/ingest/b scheduled',
    ]);
    const started = new Stage();
    const all = ['a', 'b'].map((name) => stage.get(`PipeSettings/ingest/${name}`));
    const { store } = started.kind('PipeSettings');
    store.beginList()(
      all.map((one) => store.trim(one)),
      '9',
    );
    expect(started.woken).toEqual([
      'PipeSettings/ingest/a scheduled',
      'PipeSettings/ingest/b user',
    ]);
  });

  test('a status that another version wrote counts as far as it fits', async () => {
    const odd = { attempts: 'many', plan: 5, notReported: [], nextAttemptTime: 'soon' };
    const { store } = new Stage().kind('PipeSettings');
    expect(store.trim({ metadata, ...rest, status: odd }).status).toEqual({ notReported: [] });
  });
});
