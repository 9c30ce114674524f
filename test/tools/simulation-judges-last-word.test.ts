import { describe, expect, it } from 'vitest';
import { PIPE, pipe, THREADS } from '../simulation/by-hand/objects.ts';
import type { HandRecord } from '../simulation/by-hand/record.ts';
import type { Thing } from '../simulation/kubernetes/objects.ts';
import type { Crossing, WireReply } from '../simulation/network/wire.ts';
import { OBJECT } from '../simulation/scope/moves.ts';

const STATUS = { observedGeneration: 1 };
const COLLECTION = `/apis/pipewright.dev/v1alpha1/namespaces/${OBJECT.namespace}/pipesettings`;
/** The settings that the restore brings back, and those of the edit that it takes back. */
const RESTORED = 1;
const LOST = 2;

/** The way of requests of one-1 to the API server, step by step. */
function wire(record: HandRecord) {
  const { kubernetesSide } = record.life;
  let id = 1_000;
  const crossing = (method: string, path: string, body = ''): Crossing => {
    id += 1;
    return { id, host: 'one-1', request: { method, path, headers: {}, body } };
  };
  const served = new Map<Crossing, WireReply>();
  return {
    asks(method: string, body?: object): Crossing {
      const path = `${COLLECTION}/p1${method === 'PUT' ? '/status' : ''}`;
      const asked = crossing(method, path, body && JSON.stringify(body));
      kubernetesSide.asks(asked);
      return asked;
    },
    /** What was asked leaves, and is carried out. */
    arrives(asked: Crossing): Crossing {
      kubernetesSide.left(asked);
      served.set(asked, kubernetesSide.serve(asked));
      return asked;
    },
    answers: (asked: Crossing) => kubernetesSide.answered(asked, served.get(asked) as WireReply),
    refuses: (asked: Crossing) => kubernetesSide.answered(asked, { status: 409, body: '' }),
    breaks: (asked: Crossing) => kubernetesSide.unanswered(asked, 'other side closed'),
    isRefused: (asked: Crossing) => kubernetesSide.unreached(asked, 'connect ECONNREFUSED'),
    hears: (object: Thing | undefined) =>
      kubernetesSide.streamed(crossing('GET', `${COLLECTION}?watch=true`), {
        type: 'MODIFIED',
        object,
      }),
  };
}

/** A restore has taken back an edit of which the process may hear only now. */
async function restored() {
  const record = pipe(RESTORED);
  const { life } = record;
  await record.until(10);
  const backup = life.kube.objects.backup();
  for (const threads of [5, LOST]) record.edits(PIPE, { settings: { [THREADS]: threads } });
  const lost = record.stored(PIPE);
  await record.until(20);
  record.restores(backup, { forwards: false });
  await record.until(25);
  const way = wire(record);
  return { record, way, hearsLost: () => way.hears(lost) };
}

type Scene = Awaited<ReturnType<typeof restored>>;

/** The process reads the object. */
const reads = ({ way }: Scene): void => way.answers(way.arrives(way.asks('GET')));

/** A refused write, and what comes of the read that follows it in the same moment. */
function refused({ way }: Scene, method: 'PUT' | 'PATCH'): Crossing {
  const write = way.asks(method, { metadata: { uid: 'any' } });
  way.refuses(write);
  return way.asks('GET');
}

describe('where a restore has taken an edit back, what is sent', () => {
  it.each<readonly [string, number, (scene: Scene) => void]>([
    [
      'is what a read has shown that was asked for after the edit was heard of',
      RESTORED,
      (scene) => {
        scene.hearsLost();
        reads(scene);
      },
    ],
    [
      'the same after a refused write, where the first read found nobody to connect to',
      RESTORED,
      (scene) => {
        scene.way.isRefused(refused(scene, 'PUT'));
        scene.hearsLost();
        reads(scene);
      },
    ],
    [
      'the same where more was written before the answer came',
      RESTORED,
      (scene) => {
        scene.hearsLost();
        const read = scene.way.arrives(scene.way.asks('GET'));
        for (const threads of [7, 8, 9])
          scene.record.edits(PIPE, { settings: { [THREADS]: threads } });
        scene.way.answers(read);
      },
    ],
    [
      'is what the reply to a write shows that was asked for after the edit was heard of',
      RESTORED,
      (scene) => {
        const onTop = scene.record.stored(PIPE);
        scene.hearsLost();
        const write = scene.way.asks('PUT', { ...onTop, status: STATUS });
        scene.way.answers(scene.way.arrives(write));
      },
    ],
    [
      'is of the edit, where that was heard of while the read was under way',
      LOST,
      (scene) => {
        const read = scene.way.arrives(refused(scene, 'PUT'));
        scene.hearsLost();
        scene.way.answers(read);
      },
    ],
    [
      'the same where the connection did not stand yet',
      LOST,
      (scene) => {
        const read = refused(scene, 'PUT');
        scene.hearsLost();
        scene.way.answers(scene.way.arrives(read));
      },
    ],
    [
      'the same where that read broke off, and was asked for once more at once',
      LOST,
      (scene) => {
        const read = scene.way.arrives(refused(scene, 'PUT'));
        scene.hearsLost();
        scene.way.breaks(read);
        reads(scene);
      },
    ],
    [
      'the same where it was heard of before the answer that refused a change of the object',
      LOST,
      (scene) => {
        const patch = scene.way.asks('PATCH', {});
        scene.hearsLost();
        scene.way.refuses(patch);
        reads(scene);
      },
    ],
  ])('%s', async (_, threads, tell) => {
    for (const [sent, rules] of [
      [threads, []],
      [threads === LOST ? RESTORED : LOST, ['call old-spec']],
    ] as const) {
      const scene = await restored();
      tell(scene);
      scene.record.leaves('one-1', PIPE, { [THREADS]: sent });
      expect(scene.record.rulesSoFar(), `${sent} threads`).toEqual(rules);
    }
  });

  it('may be what a read shows later than in the moment in which the one before it broke off', async () => {
    const scene = await restored();
    const read = scene.way.arrives(refused(scene, 'PUT'));
    scene.hearsLost();
    scene.way.breaks(read);
    await scene.record.until(26);
    reads(scene);
    scene.record.leaves('one-1', PIPE, { [THREADS]: RESTORED });
    expect(scene.record.rulesSoFar()).toEqual([]);
  });
});

describe('the end of an object', () => {
  it('is not taken back by the reply to a request under way', async () => {
    const record = pipe(RESTORED);
    const way = wire(record);
    const read = way.arrives(way.asks('GET'));
    record.deletes(PIPE);
    record.life.tell({ what: 'seen', process: 'one-1', key: PIPE, thing: undefined });
    way.answers(read);
    expect(record.life.knowledge.of('one-1').get(PIPE)?.thing).toBeUndefined();
  });

  it('is told by a 404, of the one that has the name now, once a write of that had no answer', async () => {
    const record = pipe(RESTORED);
    const way = wire(record);
    const spec = record.stored(PIPE)?.spec as object;
    way.refuses(way.asks('PUT', record.stored(PIPE)));
    record.deletes(PIPE);
    record.creates('pipesettings', OBJECT.namespace, 'p1', spec);
    record.life.tell({ what: 'seen', process: 'one-1', key: PIPE, thing: undefined });
    record.shows('one-1', PIPE);
    way.breaks(way.arrives(way.asks('PUT', { ...record.stored(PIPE), status: STATUS })));
    record.deletes(PIPE);
    way.answers(way.arrives(way.asks('GET')));
    expect(record.life.knowledge.of('one-1').get(PIPE)?.thing).toBeUndefined();
  });
});
