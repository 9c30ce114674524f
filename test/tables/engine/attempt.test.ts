import { beforeEach, describe, expect, test } from 'vitest';
import type { Fate } from '../kube/api.ts';
import { applied, Engine, NOTHING, OTHERS, OURS } from './engine.ts';

const BEFORE = { attempts: 0 };
const OWN = 'test.dev/own';

let engine: Engine;
beforeEach(() => {
  engine = new Engine();
});

type Trouble = Fate | ((on: Engine) => void);
const conflict: Fate = { refused: { status: 409 } };
const edit = (on: Engine): void => on.edit();
const annotate = (on: Engine): void => on.annotate();
const others = (on: Engine): void => on.writeStatus(OTHERS);

/** Lets the first writes meet a fate, or the first one be late for a change. */
function meets(trouble: Trouble): void {
  if (typeof trouble === 'function') engine.beforeWrite(trouble);
  else engine.spoilWrites(trouble, trouble === conflict ? 2 : 1);
}

describe('a status in mid-attempt', () => {
  test.each<[string, Trouble, string, object]>([
    ['Kubernetes fails', { refused: { status: 500 } }, 'put', OURS],
    ['no answer comes, though it stands', { lost: 'answer' }, 'put', OURS],
    ['the object was edited', edit, 'put', OURS],
    ['somebody else has written a status', others, 'dropped', OTHERS],
  ])('is saved at once or nowhere: where %s', async (_what, trouble, did, stands) => {
    const saved: boolean[] = [];
    engine.given('orders');
    meets(trouble);
    engine.reconcile = async (_object, context) => {
      if (engine.began.length > 1) return NOTHING;
      saved.push(await context.save(BEFORE));
      return applied();
    };
    await engine.start();
    await engine.clock.advance(30_000);
    expect({ saved, did: engine.did }).toEqual({ saved: [false], did: [did, 'nothing'] });
    expect(engine.at().status).toMatchObject(stands);
  });
});

describe('a finalizer', () => {
  // What `finalizer` gives in each attempt, and all calls.
  test.each<[string, Trouble, boolean[], string]>([
    ['is put on by one write', {}, [true], 'PATCH'],
    ['is put on where somebody has only annotated', annotate, [true], 'PATCH GET PATCH'],
    ['waits for the next attempt after an edit', edit, [false, true], 'PATCH GET PATCH'],
    ['is tried twice in an attempt', conflict, [false, true], 'PATCH GET PATCH GET PATCH'],
  ])('%s', async (_what, trouble, did, calls) => {
    const stood: boolean[] = [];
    engine.given('orders');
    meets(trouble);
    engine.reconcile = async (_object, context) => {
      stood.push(await context.finalizer(OWN, true));
      return NOTHING;
    };
    await engine.start();
    await engine.clock.advance(10_000);
    expect([stood, engine.methods]).toEqual([did, calls]);
    expect(engine.at().metadata.finalizers).toEqual([OWN]);
  });

  test('is off an object that is gone meanwhile: a 404 is done', async () => {
    engine.given('orders');
    engine.annotate({ finalizers: [OWN] });
    engine.delete();
    engine.hear();
    engine.beforeWrite((on) => on.annotate({ finalizers: null }));
    const isOff: boolean[] = [];
    engine.reconcile = async (_object, context) => {
      if (isOff.length === 0) isOff.push(await context.finalizer(OWN, false));
      return NOTHING;
    };
    await engine.start();
    expect([isOff, engine.methods]).toEqual([[true], 'PATCH GET']);
  });
});
