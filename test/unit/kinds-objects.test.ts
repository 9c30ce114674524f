import { describe, expect, test } from 'vitest';
import type { Context } from '../../src/controller/kind.ts';
import {
  type PipeSettings,
  pipeSettingsType,
  status,
  targetOf,
} from '../../src/kinds/pipe-settings/resource.ts';
import { createKind } from '../../src/kinds/shared/objects.ts';
import { FakeClock, settle } from '../support/fake-clock.ts';
import { aKindContext } from '../support/kind-context.ts';
import { aPipeSettings, REQUESTED_AT, type Wanted } from '../support/objects.ts';
import { anApplied } from '../support/pipe-settings-visits.ts';

/** A store with these objects, and what happened since they were listed. */
function setUp(objects: readonly PipeSettings[]) {
  const woken: string[] = [];
  const changed: string[] = [];
  let secretChanged = (_secret: string): void => undefined;
  const context = {
    ...aKindContext(new FakeClock(), { call: () => Promise.reject(new Error('no call')) }),
    enqueue: (id: string, priority: string) => woken.push(`${id.split('/').at(-1)} ${priority}`),
    changed: (id: string) => changed.push(id),
    onSecretChange: (listener: typeof secretChanged) => {
      secretChanged = listener;
    },
  };
  const options = { type: pipeSettingsType, status, targetOf };
  const kind = createKind<PipeSettings>(context, options, async (object, _, shared) => {
    const names = shared.others(object).map(({ metadata }) => metadata.name);
    return { next: 'on-change', did: names.join() };
  });
  const { store } = kind;
  const others = async (object: PipeSettings): Promise<string> =>
    (await kind.reconcile(object, {} as Context)).did;
  store.beginList()([...objects], '1');
  const listed = woken.splice(0);
  let version = 1;
  const become = (object: PipeSettings): void => {
    version += 1;
    const metadata = { ...object.metadata, resourceVersion: String(version) };
    store.apply('MODIFIED', { ...object, metadata });
  };
  const remove = (object: PipeSettings): void => {
    version += 1;
    const metadata = { ...object.metadata, resourceVersion: String(version) };
    store.apply('DELETED', { ...object, metadata });
  };
  return {
    store,
    others,
    woken,
    changed,
    listed,
    become,
    remove,
    limiter: context.limiter,
    secret: (name: string) => secretChanged(name),
  };
}

const named = (name: string, more: Wanted = {}) =>
  aPipeSettings({ name, uid: `uid-${name}`, ...more });
const alone = named('alone', { spec: { pipeId: 'other' } });

test('after a start, what changed while nobody watched goes ahead of what did not', () => {
  const known = { ...named('known'), status: anApplied().status };
  expect(setUp([known as PipeSettings, alone]).listed).toEqual(['known scheduled', 'alone user']);
});

describe('an object that is alone is reconciled when', () => {
  const { metadata } = alone;
  test.for<[string, PipeSettings, readonly string[]]>([
    ['its spec changes', { ...alone, metadata: { ...metadata, generation: 2 } }, ['alone user']],
    [
      'it is deleted',
      { ...alone, metadata: { ...metadata, deletionTimestamp: 't' } },
      ['alone user'],
    ],
    [
      'its finalizers change',
      { ...alone, metadata: { ...metadata, finalizers: ['x'] } },
      ['alone user'],
    ],
    [
      'it is asked for',
      { ...alone, metadata: { ...metadata, annotations: { [REQUESTED_AT]: 'x' } } },
      ['alone user'],
    ],
    [
      'but not when another annotation changes',
      { ...alone, metadata: { ...metadata, annotations: { other: 'x' } } },
      [],
    ],
    [
      'but not when its status alone changes',
      { ...alone, status: anApplied().status } as PipeSettings,
      [],
    ],
    [
      'but not when its labels change',
      { ...alone, metadata: { ...metadata, labels: { a: 'b' } } },
      [],
    ],
  ])('%s', ([, object, expected]) => {
    const { become, woken, changed } = setUp([alone]);
    become(object);
    expect(woken).toEqual(expected);
    expect(changed).toContain('PipeSettings/ingest/alone');
  });
});

describe('the others of its target are reconciled when', () => {
  const own = named('own');
  const rival = named('rival', { namespace: 'far', spec: { pipeId: 'PIPE' } });
  const applied = anApplied().status;
  test.for<[string, (set: ReturnType<typeof setUp>) => void, readonly string[]]>([
    [
      'it is verified',
      ({ become }) => become({ ...own, status: applied } as PipeSettings),
      ['rival user'],
    ],
    [
      'its key alone is accepted',
      ({ become }) => become({ ...own, status: { verified: applied?.verified } }),
      ['rival user'],
    ],
    [
      'it is suspended',
      ({ become }) => become({ ...own, metadata: { ...own.metadata, generation: 2 } }),
      ['own user', 'rival user'],
    ],
    ['it goes', ({ remove }) => remove(own), ['own user', 'rival user']],
    [
      'but not when its status says anything else',
      ({ become }) => become({ ...own, status: { attempts: 3 } }),
      [],
    ],
  ])('%s', ([, happen, expected]) => {
    const set = setUp([own, rival, alone]);
    happen(set);
    expect(set.woken).toEqual(expected);
  });

  test('ids are the same in whatever case, and others are all but itself', async () => {
    const { others } = setUp([own, rival, alone]);
    expect(await others(own)).toBe('rival');
  });
});

test('a changed Secret reconciles who refers to it, and who waits with it asks anew', async () => {
  const { secret, woken, limiter } = setUp([named('a'), named('b'), alone]);
  const ended: string[] = [];
  const ask = (key: string) => {
    const asking = {
      id: key,
      urgency: 'user' as const,
      onUnwanted: () => undefined,
      onLongWait: async () => true,
      parked: <Value>(wait: () => Promise<Value>) => wait(),
      wish: async () => ({ credential: 'key', mayTry: false }),
    };
    void limiter.permit(asking).then((permit) => permit === 'not-wanted' && ended.push(key));
  };
  for (const key of ['1', '2', '3', '4', 'PipeSettings/ingest/b']) ask(key);
  await settle();
  secret('ingest/api-key');
  await settle();
  expect(ended).toEqual(['PipeSettings/ingest/b']);
  expect(woken).toEqual(['a scheduled', 'b scheduled', 'alone scheduled']);
  secret('far/api-key');
  expect(woken).toHaveLength(3);
});

test('what does not fit into the schema of the status counts as never written', () => {
  const bad = {
    ...alone,
    status: { attempts: 'many', notReported: [] },
  } as unknown as PipeSettings;
  expect(setUp([]).store.trim(bad).status).toEqual({ notReported: [] });
});
