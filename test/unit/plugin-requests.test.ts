import { describe, expect, test } from 'vitest';
import { inTurn } from '../../src/cli/request/in-turn.ts';
import { answerOf, isGood, shownReady } from '../../src/cli/request/progress.ts';
import { actionOf } from '../../src/cli/request/verbs.ts';
import type { Condition } from '../../src/controller/conditions.ts';
import type { KubeObject } from '../../src/kube/resource.ts';

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
