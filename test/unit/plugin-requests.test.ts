import { describe, expect, test } from 'vitest';
import type { Kubectl } from '../../src/cli/cluster/kubectl.ts';
import { inTurn } from '../../src/cli/request/in-turn.ts';
import { answerOf, isGood, shownReady } from '../../src/cli/request/progress.ts';
import { request } from '../../src/cli/request/request.ts';
import { actionOf } from '../../src/cli/request/verbs.ts';
import { stoppedByUser } from '../../src/cli/user-error.ts';
import type { Condition } from '../../src/controller/conditions.ts';
import type { KubeObject } from '../../src/kube/resource.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { fakeTerminal } from '../support/fake-terminal.ts';

const REQUESTED_AT = 'pipewright.dev/reconcile-requested-at';

interface Wanted {
  readonly reason?: string;
  readonly status?: Condition['status'];
  readonly observed?: number;
  readonly handled?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
  readonly spec?: unknown;
}

/** An object of generation 2. */
function anObject(wanted: Wanted = {}): KubeObject {
  const { reason = 'Applied', status = 'True', observed = 2, handled } = wanted;
  const { annotations = {}, labels = {}, spec } = wanted;
  const ready = {
    type: 'Ready',
    status,
    reason,
    message: 'Said',
    observedGeneration: observed,
    lastTransitionTime: '2026-03-01T12:00:00Z',
  };
  return {
    metadata: {
      name: 'orders',
      namespace: 'ingest',
      uid: 'uid-1',
      resourceVersion: '7',
      generation: 2,
      creationTimestamp: '2026-03-01T12:00:00Z',
      annotations,
      labels,
    },
    spec,
    status: { conditions: [ready], lastHandledReconcileAt: handled },
  };
}

describe('the operator has acted', () => {
  const retry = actionOf('retry', 'now');
  const asked = { [REQUESTED_AT]: 'now' };
  test.each<[string, boolean, Wanted]>([
    ['on the request', true, { annotations: asked, handled: 'now' }],
    ['on no request yet', false, { annotations: asked }],
    ['on an earlier one', false, { annotations: asked, handled: 'before' }],
    [
      'on a later one of somebody else',
      true,
      { annotations: { [REQUESTED_AT]: 'later' }, handled: 'later' },
    ],
    ['on it, but an edit came after', false, { annotations: asked, handled: 'now', observed: 1 }],
    [
      'on it, and is between two requests',
      false,
      { annotations: asked, handled: 'now', reason: 'Pending', status: 'Unknown' },
    ],
    [
      'on it, and it failed',
      true,
      { annotations: asked, handled: 'now', reason: 'NotFound', status: 'False' },
    ],
    [
      'before, as the spec is invalid, and never will',
      true,
      { annotations: asked, reason: 'SpecInvalid', status: 'False' },
    ],
  ])('%s: %s', (_, has, wanted) => {
    expect(answerOf(anObject(wanted), retry) !== undefined).toBe(has);
  });

  test.each(['suspend', 'resume'] as const)(
    'on %s, where it speaks of the present generation',
    (verb) => {
      const action = actionOf(verb, '');
      expect(answerOf(anObject({ observed: 1 }), action)).toBeUndefined();
      expect(answerOf(anObject({ observed: 2 }), action)).toMatchObject({ reason: 'Applied' });
    },
  );
});

test('suspended is what suspend is for, Ready or not; the others want Ready', () => {
  const said = (wanted: Wanted): Condition => {
    const answer = answerOf(anObject(wanted), actionOf('resume', ''));
    if (!answer) throw new Error('no answer');
    return answer;
  };
  const suspended = said({ reason: 'Suspended', status: 'False' });
  expect(isGood(suspended, actionOf('suspend', ''))).toBe(true);
  expect(isGood(said({}), actionOf('suspend', ''))).toBe(false);
  expect(isGood(suspended, actionOf('resume', ''))).toBe(false);
  expect(isGood(said({}), actionOf('retry', ''))).toBe(true);
});

test('what a status says is shown as one line, whoever wrote it', () => {
  const condition = answerOf(anObject(), actionOf('resume', ''));
  if (!condition) throw new Error('no answer');
  const message = 'a\nerror: forged\u001b[2J\u202e';
  expect(shownReady({ ...condition, message })).toBe('Ready, Applied: a error: forged [2J');
});

describe('who may set spec.suspend back', () => {
  const LAST = 'kubectl.kubernetes.io/last-applied-configuration';
  const applied = (manifest: string): Wanted => ({ annotations: { [LAST]: manifest } });
  test.each<[Wanted, 'suspend' | 'resume', string]>([
    [{}, 'suspend', 'nobody'],
    [{ labels: { 'app.kubernetes.io/instance': 'x' } }, 'suspend', 'nobody'],
    [
      { labels: { 'argocd.argoproj.io/instance': 'x' } },
      'suspend',
      'is applied by Argo CD (argocd.argoproj.io/instance)',
    ],
    [
      {
        labels: { 'helm.toolkit.fluxcd.io/name': 'x' },
        annotations: { 'meta.helm.sh/release-name': 'x' },
      },
      'resume',
      'is applied by Flux (helm.toolkit.fluxcd.io/name)',
    ],
    [{ annotations: { 'meta.helm.sh/release-name': 'x' } }, 'resume', 'is applied by Helm'],
    [applied('{"spec":{"suspend":true}}'), 'resume', 'was applied with "suspend: true"'],
    [applied('{"spec":{"suspend":true}}'), 'suspend', 'nobody'],
    [applied('{"spec":{"suspend":false}}'), 'suspend', 'was applied with "suspend: false"'],
    [applied('{"spec":{}}'), 'resume', 'nobody'],
    [applied('null'), 'resume', 'nobody'],
    [applied('{'), 'resume', 'nobody'],
  ])('%j, %s', (wanted, verb, says) => {
    const remark = actionOf(verb, '').remark(anObject(wanted)) ?? 'nobody';
    expect(remark).toContain(says);
  });
});

test('a few run at once, and the results come in the order of the items', async () => {
  let running = 0;
  let most = 0;
  const results = await inTurn([...Array(20).keys()], async (item) => {
    running += 1;
    most = Math.max(most, running);
    for (let turns = 20 - item; turns > 0; turns--) await Promise.resolve();
    running -= 1;
    return item * 2;
  });
  expect(results).toEqual([...Array(20).keys()].map((item) => item * 2));
  expect(most).toBe(4);
});

describe('Ctrl-C', () => {
  const NAMES = Array.from({ length: 12 }, (_, nth) => `n${nth}`);

  /** Ctrl-C while the fourth object is being written; that kubectl is ended by it, too. */
  async function suspendAll(more: { readonly wait?: boolean; readonly output?: 'json' } = {}) {
    const stop = new AbortController();
    const printed: string[] = [];
    const patched: string[] = [];
    const kubectl: Partial<Kubectl> = {
      async get<T>(path: string) {
        const items = NAMES.map((name) => {
          const { metadata, ...rest } = anObject({ spec: {} });
          return { ...rest, metadata: { ...metadata, name, uid: name } };
        });
        return { items: path.endsWith('/pipesettings') ? items : [], metadata: {} } as T;
      },
      async succeed(args) {
        const name = args[2] ?? '';
        patched.push(name);
        if (patched.length === 4) {
          stop.abort();
          throw stoppedByUser();
        }
        return JSON.stringify(anObject());
      },
    };
    const context = {
      kubectl: kubectl as Kubectl,
      terminal: fakeTerminal({ print: (line) => void printed.push(line) }),
      clock: new FakeClock(),
      version: 'test',
      env: {},
      stop: stop.signal,
    };
    const flags = {
      all: true,
      namespace: 'ingest',
      timeout: '5m',
      output: 'text',
      ...more,
    } as const;
    const error = await request(context, { verb: 'suspend', words: [], flags }).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    return { printed, patched, error };
  }

  test('ends the writing, and each object is said to be written or not', async () => {
    const { printed, patched, error } = await suspendAll({ wait: true });
    expect(patched).toEqual(['n0', 'n1', 'n2', 'n3']);
    expect(printed).toEqual(['n0', 'n1', 'n2'].map((name) => `pset/${name}: suspended`));
    expect(error).toMatchObject({ name: 'Stopped', exitCode: 130 });
    expect(String(error).split('\n')).toEqual([
      'Stopped: suspend was stopped, and not done for 9 objects of 12:',
      '  pset/n3: stopped in the middle; it may be written',
      ...NAMES.slice(4).map((name) => `  pset/${name}: not written`),
    ]);
  });

  test('programs are told the same', async () => {
    const { printed } = await suspendAll({ output: 'json' });
    const rows = JSON.parse(printed.join('')) as { result: string }[];
    expect(rows.map(({ result }) => result)).toEqual([
      ...Array.from({ length: 3 }, () => 'suspended'),
      'unknown',
      ...Array.from({ length: 8 }, () => 'notWritten'),
    ]);
  });
});

/** A retry that waits, with a cluster whose operator does nothing; `follow` is its watch. */
async function waiting(follow: Kubectl['follow'], more: { readonly output: 'text' | 'json' }) {
  const stop = new AbortController();
  const said: string[] = [];
  const clock = new FakeClock();
  const orders = anObject({ spec: {} });
  const kubectl: Partial<Kubectl> = {
    follow,
    get: async <T>(path: string) =>
      (path.includes('?') ? { items: [orders], metadata: {} } : orders) as T,
    succeed: async () => JSON.stringify(orders),
  };
  const terminal = fakeTerminal({ print: (line) => void said.push(line) });
  const about = { kubectl: kubectl as Kubectl, terminal, clock, version: 'test', env: {} };
  const flags = { wait: true, namespace: 'ingest', timeout: '1s', context: 'stage', ...more };
  const ended = request(
    { ...about, stop: stop.signal },
    { verb: 'retry', words: ['pset/orders'], flags },
  ).catch((error: unknown) => error);
  return { stop, said, clock, ended };
}

const unending: Kubectl['follow'] = (_path, _onLine, signal) =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve()));

describe('while the operator is waited for', () => {
  test.each<[NodeJS.Signals | undefined, number]>([
    [undefined, 130],
    ['SIGTERM', 143],
  ])('a signal (%s): the rows are printed, and it ends with %i', async (signal, exitCode) => {
    const { stop, said, clock, ended } = await waiting(unending, { output: 'json' });
    await clock.advance(0);
    stop.abort(signal);
    expect(await ended).toMatchObject({
      name: 'Stopped',
      exitCode,
      message: 'stopped waiting; what was written stays, and the operator acts on it when it can',
    });
    expect(JSON.parse(said.at(-1) ?? '')).toMatchObject([
      { name: 'orders', result: 'requested', waited: 'stopped' },
    ]);
  });

  test('a line of the watch without an object is nothing', async () => {
    const lines = ['{"type":"ADDED","object":{}}', 'null', '{'];
    const { clock, ended } = await waiting(
      (path, onLine, signal) => {
        for (const line of lines) onLine(line);
        return unending(path, onLine, signal);
      },
      { output: 'text' },
    );
    await clock.advance(2_000);
    expect(await ended).toBe(2);
  });

  test('too long: what is to be pasted is for the same cluster', async () => {
    const { said, clock, ended } = await waiting(unending, { output: 'text' });
    await clock.advance(2_000);
    expect(await ended).toBe(2);
    expect(said.at(-1)).toMatch(/: kubectl pipewright doctor --context=stage$/);
  });
});
