import { describe, expect, it, vi } from 'vitest';
import { putSecret } from '../simulation/adversary/secrets.ts';
import {
  KEY,
  LOOK,
  NEIGHBOURS,
  neighbour,
  organization,
  ready,
  shown,
  unknown,
} from '../simulation/by-hand/objects.ts';
import { Incarnation } from '../simulation/life/incarnation.ts';
import { CONTESTED, OBJECT } from '../simulation/scope/moves.ts';

const ADD = { privateEndpoints: { add: [CONTESTED], remove: [] } };

describe('judge of promises', () => {
  const SECRETS = `/api/v1/namespaces/${OBJECT.namespace}/secrets`;
  const SECRET = {
    namespace: OBJECT.namespace,
    name: 'new',
    keyId: 'key',
    secret: 'of its own',
    style: 'plain',
  } as const;

  /**
   * An object has waited for its Secret for 100 s. `asked`: what a request of its process came to.
   */
  async function withoutSecret() {
    const record = organization({ name: 'A', credentialsSecretRef: { name: 'new' } });
    const { life } = record;
    const running = new Incarnation({ life, name: 'one-1', argv: [], skewMs: 0, over: () => {} });
    vi.spyOn(life.fleet, 'processes', 'get').mockReturnValue([running]);
    record.writes('one-1', KEY, ready('SecretNotFound', 1));
    await record.until(100);
    const asked = (path: string, status: number): void =>
      life.tell({
        what: 'asked',
        process: 'one-1',
        ask: { method: 'GET', path, status, body: '' },
      });
    return { record, life, asked };
  }

  it.each([
    ['lets a watch of Secrets wait that was refused just before', '?watch=true', 403, []],
    ['lets none wait because a Secret was not there', '/new', 404, ['promise SecretNotFound']],
    ['lets none wait that was refused long ago', '?watch=true', 403, ['promise SecretNotFound']],
  ] as const)('%s', async (text, path, status, rules) => {
    const { record, life, asked } = await withoutSecret();
    asked(SECRETS + path, status);
    await record.until(text.endsWith('long ago') ? 300 : 110);
    putSecret(life, SECRET);
    await record.until(400);
    expect(record.rulesSoFar()).toEqual(rules);
  });

  it.each([
    ['is not open yet', false, []],
    ['is open', true, ['promise SecretNotFound']],
  ] as const)('tells of a Secret at once where its watch %s', async (_, isOpen, rules) => {
    const { record, life } = await withoutSecret();
    const request = {
      method: 'GET',
      path: `${SECRETS}?fieldSelector=new&watch=true`,
      headers: {},
      body: '',
    };
    const crossing = { id: 1, host: 'one-1', request };
    life.kubernetesSide.left(crossing);
    if (isOpen)
      life.kubernetesSide.answered(crossing, { status: 200, headers: {}, body: () => () => {} });
    await record.until(101);
    putSecret(life, SECRET);
    await record.until(400);
    expect(record.rulesSoFar()).toEqual(rules);
  });

  it.each([
    ['are old', 104, []],
    ['were old when it asked for one just before', 110, []],
    ['were old long ago', 300, ['promise SecretNotFound']],
  ] as const)('lets a watch of Secrets wait while lists %s', async (_, changedAt, rules) => {
    const { record, life, asked } = await withoutSecret();
    life.kube.lists.old = life.kube.objects.backup();
    life.timeline.quietlyAt(5_000, () => asked(`${SECRETS}?limit=1`, 200));
    life.timeline.quietlyAt(6_000, () => {
      life.kube.lists.old = undefined;
    });
    await record.until(changedAt);
    putSecret(life, SECRET);
    await record.until(400);
    expect(record.rulesSoFar()).toEqual(rules);
  });

  it.each([
    ['asks for a list then', SECRETS, []],
    [
      'asks for no list of Secrets then',
      '/apis/pipewright.dev/v1alpha1/organizations',
      ['promise SecretNotFound'],
    ],
  ] as const)(
    'lets a watch of Secrets wait where lists are old just after a change, if it %s',
    async (_, path, rules) => {
      const { record, life, asked } = await withoutSecret();
      putSecret(life, SECRET);
      life.kube.lists.old = life.kube.objects.backup();
      await record.until(101);
      asked(`${path}?limit=1`, 200);
      await record.until(105);
      life.kube.lists.old = undefined;
      await record.until(400);
      expect(record.rulesSoFar()).toEqual(rules);
    },
  );

  it.each([
    ['runs', false, []],
    ['is gone', true, ['promise Unavailable']],
  ] as const)(
    'lets an object wait while a call of a process that %s is under way',
    async (_, isGone, rules) => {
      const record = organization({ name: 'A' });
      await record.until(10);
      record.leaves('one-1', KEY, LOOK);
      if (isGone) record.process('one-1', 'died');
      await record.until(20);
      record.begins('one-2', KEY);
      await record.until(60);
      const nextAttemptTime = record.time(30);
      record.writes('one-2', KEY, { ...ready('Unavailable', 1), nextAttemptTime });
      await record.until(200);
      expect(record.rulesSoFar()).toEqual(rules);
    },
  );

  it.each([
    ['long', 19_000, []],
    ['not so long', 5_000, ['promise Conflict']],
  ] as const)(
    'lets an object wait while an answer that took %s has held up the only worker',
    async (_, tookMs, rules) => {
      const record = organization({ name: 'A' });
      await record.until(60);
      const nextAttemptTime = record.time(30);
      record.writes('one-1', KEY, { ...ready('Conflict', 1), nextAttemptTime });
      await record.until(105);
      const path = '/apis/pipewright.dev/v1alpha1/namespaces/team-a/organizations/o7';
      record.life.tell({
        what: 'asked',
        process: 'one-1',
        ask: { method: 'GET', path, status: 200, body: '', tookMs },
      });
      await record.until(200);
      expect(record.rulesSoFar()).toEqual(rules);
    },
  );

  it.each([
    ['while it may still be at work', 100, []],
    ['no longer than that', 200, ['promise Unavailable']],
  ] as const)(
    'lets an object wait for what a process that is gone has sent for another one, %s',
    async (_, until, rules) => {
      const record = organization({ privateEndpoints: [CONTESTED] });
      neighbour(record, { privateEndpoints: [CONTESTED] });
      await record.until(10);
      record.calls('one-1', KEY, LOOK, shown('Old'));
      record.writes('one-1', KEY, {
        ...ready('NotConfirmed', 1),
        pendingChange: { time: record.time(), ...ADD.privateEndpoints },
      });
      record.leaves('one-1', KEY, ADD);
      await record.until(11);
      record.process('one-1', 'died');
      // From a server that is behind, its first list has the one object only.
      record.begins('one-2', NEIGHBOURS);
      await record.until(20);
      record.calls('one-2', NEIGHBOURS, LOOK, { status: 500 });
      const nextAttemptTime = record.time(10);
      record.writes('one-2', NEIGHBOURS, { ...ready('Unavailable', 1), nextAttemptTime });
      await record.until(21);
      record.shows('one-2', KEY);
      await record.until(until);
      expect(record.rulesSoFar()).toEqual(rules);
    },
  );

  it.each([
    ['just before', 290, []],
    ['long ago', 100, ['promise Unavailable']],
  ] as const)(
    'lets an object wait for what it was told %s of a call for another one',
    async (_, toldAt, rules) => {
      const record = organization({ name: 'A' });
      neighbour(record, { name: 'A' });
      await record.until(10);
      record.writes('two-1', NEIGHBOURS, unknown(record, 1));
      await record.until(toldAt);
      record.begins('one-2', NEIGHBOURS);
      await record.until(300);
      record.shows('one-2', KEY);
      record.calls('one-2', KEY, LOOK, { status: 500 });
      const nextAttemptTime = record.time(10);
      record.writes('one-2', KEY, { ...ready('Unavailable', 1), nextAttemptTime });
      await record.until(375);
      expect(record.rulesSoFar()).toEqual(rules);
    },
  );
});
