import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { caller, ORGANIZATION, ORGANIZATION_PATH } from '../simulator/caller.ts';
import type { PrivateEndpoint } from '../simulator/organization-types.ts';
import type { Simulator, SimulatorOptions } from '../simulator/simulator.ts';
import { someoneElse } from '../simulator/someone-else.ts';
import { openSimulator } from '../support/open-simulator.ts';

const OTHER = '7f0e6f0c-0000-4000-8000-000000000002';
const endpoint = (id: string, more: Partial<PrivateEndpoint> = {}): PrivateEndpoint => ({
  id,
  cloudProvider: 'gcp',
  region: 'r',
  ...more,
});

async function start(options: SimulatorOptions = {}): Promise<Simulator> {
  return (await openSimulator({ keys: { key: 'secret' }, ...options })).simulator;
}

describe('someone else', () => {
  it('renames, adds and removes by PATCH under a key of their own', async () => {
    const simulator = await start();
    const someone = someoneElse(simulator);
    await someone.add(endpoint('x', { description: 'theirs' }), endpoint('y'));
    await someone.rename('Theirs');
    const { body } = await someone.remove('x');
    expect(body.result).toMatchObject({ name: 'Theirs', privateEndpoints: [{ id: 'y' }] });
    expect(
      simulator.calls({ keyId: someone.keyId }).map((call) => [call.method, call.path, call.body]),
    ).toEqual([
      [
        'PATCH',
        ORGANIZATION_PATH,
        { privateEndpoints: { add: [endpoint('x', { description: 'theirs' }), endpoint('y')] } },
      ],
      ['PATCH', ORGANIZATION_PATH, { name: 'Theirs' }],
      ['PATCH', ORGANIZATION_PATH, { privateEndpoints: { remove: [endpoint('x')] } }],
    ]);
    expect((await caller(simulator.url)('PATCH', ORGANIZATION_PATH, { name: 'Ours' })).status).toBe(
      200,
    );
    expect(simulator.callCount({ keyId: 'key' })).toBe(1);
  });

  it('does all of it in one call, reads with empty lists, and is refused like anybody', async () => {
    const simulator = await start({ organization: { refusedIds: ['bad'] } });
    const someone = someoneElse(simulator, { organizationId: OTHER });
    await someone.change({ name: 'N', add: [endpoint('x')], remove: [endpoint('absent')] });
    expect((await someone.change()).body.result).toMatchObject({
      id: OTHER,
      name: 'N',
      privateEndpoints: [{ id: 'x' }],
    });
    expect(simulator.log.at(-1)?.body).toEqual({ privateEndpoints: { add: [], remove: [] } });
    expect((await someone.add(endpoint('bad'))).status).toBe(400);
    await expect(someone.remove('nobody')).rejects.toThrow(
      `organization ${OTHER} has no endpoint nobody`,
    );
  });

  it('may share a key, and its limit', async () => {
    const simulator = await start({ rate: { calls: 1, perMs: 60_000 } });
    const someone = someoneElse(simulator, { key: { id: 'key', secret: 'secret' } });
    expect((await someone.rename('Theirs')).status).toBe(200);
    expect((await caller(simulator.url)('PATCH', ORGANIZATION_PATH, { name: 'Ours' })).status).toBe(
      429,
    );
  });
});

describe('endpointCounts', () => {
  const counted = (add: number, added: number, remove: number, removed: number): object => ({
    add,
    added,
    remove,
    removed,
  });

  it('counts what arrived and what was done, by tuple, over all and for one key', async () => {
    const simulator = await start();
    const send = caller(simulator.url);
    const patch = (privateEndpoints: object): Promise<unknown> =>
      send('PATCH', ORGANIZATION_PATH, { privateEndpoints });
    await patch({ add: [endpoint('x'), endpoint('y', { region: 'q' })] });
    await patch({ add: [endpoint('x')] });
    await someoneElse(simulator).remove('x');
    await patch({ remove: [endpoint('x'), endpoint('a/b')] });
    expect(simulator.endpointCounts(ORGANIZATION)).toEqual({
      'gcp/r/x': counted(2, 1, 2, 1),
      'gcp/q/y': counted(1, 1, 0, 0),
      'gcp/r/a/b': counted(0, 0, 1, 0),
    });
    expect(simulator.endpointCounts(ORGANIZATION, { keyId: 'key' })['gcp/r/x']).toEqual(
      counted(2, 1, 1, 0),
    );
    expect(simulator.endpointCounts(ORGANIZATION, { keyId: 'someone-else' })).toEqual({
      'gcp/r/x': counted(0, 0, 1, 1),
    });
    expect(simulator.endpointCounts(OTHER)).toEqual({});
  });

  it('counts a call that was spoilt, refused or has no right key as arrived and not done', async () => {
    const simulator = await start({ organization: { refusedIds: ['bad'] } });
    const patch = (add: object[], authorization?: string): Promise<unknown> =>
      caller(simulator.url, authorization)('PATCH', ORGANIZATION_PATH, {
        privateEndpoints: { add },
      });
    simulator.next({ transport: 'reset-before' });
    await expect(patch([endpoint('x')])).rejects.toThrow('fetch failed');
    await patch([endpoint('x'), endpoint('bad')]);
    await patch([endpoint('x')], '');
    simulator.next({ status: 504 });
    await patch([endpoint('x'), null as unknown as object]);
    expect(simulator.endpointCounts(ORGANIZATION)).toEqual({
      'gcp/r/x': counted(4, 0, 0, 0),
      'gcp/r/bad': counted(1, 0, 0, 0),
    });
  });

  it('counts what was done although the answer was lost, came first, or tells of an error', async () => {
    const simulator = await start({ organization: { refusedIds: ['bad'], onError: 'partial' } });
    const patch = (privateEndpoints: object): Promise<unknown> =>
      caller(simulator.url)('PATCH', ORGANIZATION_PATH, { privateEndpoints });
    simulator.next({ transport: 'reset-after' });
    await expect(patch({ add: [endpoint('lost')] })).rejects.toThrow('fetch failed');
    await patch({ add: [endpoint('half'), endpoint('bad')] });
    simulator.next({ status: 504, appliesAfterMs: 300 });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    await patch({ remove: [endpoint('lost')] });
    expect(simulator.endpointCounts(ORGANIZATION)['gcp/r/lost']).toEqual(counted(1, 1, 1, 0));
    vi.advanceTimersByTime(300);
    expect(simulator.endpointCounts(ORGANIZATION)).toEqual({
      'gcp/r/lost': counted(1, 1, 1, 1),
      'gcp/r/half': counted(1, 1, 0, 0),
      'gcp/r/bad': counted(1, 0, 0, 0),
    });
  });

  it('counts a doubled endpoint as often as it is there, and one that goes and comes in one call', async () => {
    const simulator = await start({ organization: { addExisting: 'duplicate', matchBy: 'id' } });
    const someone = someoneElse(simulator);
    await someone.add(endpoint('x'), endpoint('x'));
    await someone.change({ remove: [endpoint('x', { region: 'wrong' })], add: [endpoint('x')] });
    expect(simulator.endpointCounts(ORGANIZATION)).toEqual({
      'gcp/r/x': counted(3, 3, 0, 2),
      'gcp/wrong/x': counted(0, 0, 1, 0),
    });
  });

  it('is not touched by what is set without a call', async () => {
    const simulator = await start();
    simulator.setOrganization(ORGANIZATION, { add: [endpoint('x')] });
    expect(simulator.endpointCounts(ORGANIZATION)).toEqual({});
  });
});
