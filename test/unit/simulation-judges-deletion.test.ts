import { describe, expect, it } from 'vitest';
import { KEY, LOOK, organization, ready, shown } from '../simulation/by-hand/objects.ts';
import { CONTESTED } from '../simulation/scope/moves.ts';

const OURS = { ...CONTESTED, origin: 'Added', state: 'Present' };
const FINALIZER = 'pipewright.dev/cleanup';

describe('judge of deletions', () => {
  /** Two looks a minute apart hide what is ours; it is forgotten, and no event tells of that. Then the object is deleted, and let go. */
  async function forgotten({ unheard }: { readonly unheard: boolean }): Promise<string[]> {
    const record = organization({ privateEndpoints: [CONTESTED], deletionPolicy: 'RemovePrivateEndpoints' });
    record.holds('one-1', KEY, [FINALIZER]);
    await record.until(10);
    record.calls('one-1', KEY, LOOK, shown('Old'));
    const pendingChange = { time: record.time(), add: [CONTESTED], remove: [] };
    record.writes('one-1', KEY, { ...ready('NotConfirmed', 1), pendingChange });
    const body = { privateEndpoints: { add: [CONTESTED], remove: [] } };
    record.calls('one-1', KEY, body, { ...shown('Old', CONTESTED), moves: { added: [CONTESTED] } });
    record.writes('one-1', KEY, { ...ready('Applied', 1), privateEndpoints: [OURS] });
    for (const seconds of [600, 665]) {
      await record.until(seconds);
      record.calls('one-1', KEY, LOOK, shown('Old'));
    }
    record.writes('one-1', KEY, { ...ready('NotConfirmed', 1), privateEndpoints: [] }, { unheard });
    await record.until(670);
    record.process('one-1', 'ended');
    record.begins('one-2', KEY);
    await record.until(1_400);
    record.deletes(KEY);
    record.shows('one-2', KEY);
    record.calls('one-2', KEY, LOOK, shown('Old'));
    record.holds('one-2', KEY, []);
    await record.until(2_000);
    return record.rules();
  }

  it('blames nobody for what a writer could not tell that never heard whether it was written', async () => {
    expect(await forgotten({ unheard: true })).toEqual([]);
  });

  it('blames whoever heard that it was written, and told nothing', async () => {
    expect(await forgotten({ unheard: false })).toEqual(['I5 left-added']);
  });
});
