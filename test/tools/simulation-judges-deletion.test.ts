import { describe, expect, it, vi } from 'vitest';
import { KEY, LOOK, organization, ready, shown } from '../simulation/by-hand/objects.ts';
import { CONTESTED, ORGANIZATION } from '../simulation/scope/moves.ts';

const OURS = { ...CONTESTED, origin: 'Added', state: 'Present' };
const FINALIZER = 'pipewright.dev/cleanup';

describe('judge of deletions', () => {
  /**
   * Two looks a minute apart hide what is ours; it is forgotten, and no event tells of that. Then
   * the object is deleted, and let go.
   */
  async function forgotten({ unheard }: { readonly unheard: boolean }): Promise<string[]> {
    const record = organization({
      privateEndpoints: [CONTESTED],
      deletionPolicy: 'RemovePrivateEndpoints',
    });
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

  /**
   * What a refused add has left is adopted; that is taken back, before the deletion or with it, or
   * not at all; then the object is let go.
   */
  async function disowned(when: 'before' | 'with it' | 'never'): Promise<string[]> {
    const spec = { privateEndpoints: [CONTESTED], adoptPrivateEndpoints: true };
    const record = organization({ ...spec, deletionPolicy: 'RemovePrivateEndpoints' });
    record.holds('one-1', KEY, [FINALIZER]);
    await record.until(10);
    const add = record.leaves('one-1', KEY, { privateEndpoints: { add: [CONTESTED], remove: [] } });
    record.done(add, { status: 409, moves: { added: [CONTESTED] } });
    record.answered(add, { status: 409 });
    record.calls('one-1', KEY, LOOK, shown('Old', CONTESTED));
    const adopted = { ...OURS, origin: 'Adopted' };
    record.writes('one-1', KEY, { ...ready('Applied', 1), privateEndpoints: [adopted] });
    if (when !== 'never') record.edits(KEY, { adoptPrivateEndpoints: undefined });
    if (when === 'before') {
      record.shows('one-1', KEY);
      record.writes('one-1', KEY, {
        ...ready('Applied', 2),
        privateEndpoints: [{ ...adopted, origin: 'Found' }],
      });
    }
    await record.until(600);
    record.deletes(KEY);
    record.shows('one-1', KEY);
    record.calls('one-1', KEY, LOOK, shown('Old', CONTESTED));
    record.holds('one-1', KEY, []);
    await record.until(1_400);
    return record.rules().filter((rule) => rule.startsWith('I5'));
  }

  it.each(['before', 'with it'] as const)(
    'lets stay what was adopted, where that is taken back %s',
    async (when) => {
      expect(await disowned(when)).toEqual([]);
    },
  );

  it('has it gone while it is adopted', async () => {
    expect(await disowned('never')).toEqual(['I5 left-added']);
  });

  /**
   * What is adopted stands at both APIs; the operator is given the other one, and is let go by a
   * process that works with the first, and has removed it there or not.
   */
  async function movedMeanwhile({ isRemoved }: { readonly isRemoved: boolean }): Promise<string[]> {
    const spec = { privateEndpoints: [CONTESTED], adoptPrivateEndpoints: true };
    const record = organization({ ...spec, deletionPolicy: 'RemovePrivateEndpoints' });
    const { life } = record;
    const first = life.apiHost;
    vi.spyOn(life.fleet, 'apiHostOf').mockReturnValue(first);
    for (const host of [first, 'other-api.example.com'])
      life.tell({
        what: 'other',
        host,
        organizationId: ORGANIZATION,
        moves: { added: [{ ...CONTESTED }], removed: [] },
      });
    record.holds('one-1', KEY, [FINALIZER]);
    await record.until(10);
    record.calls('one-1', KEY, LOOK, shown('Old', CONTESTED));
    record.writes('one-1', KEY, {
      ...ready('Applied', 1),
      privateEndpoints: [{ ...OURS, origin: 'Adopted' }],
    });
    await record.until(20);
    record.deletes(KEY);
    record.shows('one-1', KEY);
    life.moveToOtherApi();
    const removal = record.leaves(
      'one-1',
      KEY,
      { privateEndpoints: { add: [], remove: [CONTESTED] } },
      first,
    );
    record.done(removal, { moves: { removed: isRemoved ? [CONTESTED] : [] } });
    record.answered(removal, shown('Old'));
    record.holds('one-1', KEY, []);
    await record.until(1_400);
    return record.rules().filter((rule) => rule.startsWith('I5'));
  }

  it('looks for what is left at the API that the process works with that lets it go', async () => {
    expect(await movedMeanwhile({ isRemoved: true })).toEqual([]);
    expect(await movedMeanwhile({ isRemoved: false })).toEqual(['I5 left-adopted']);
  });
});
