import { describe, expect, it } from 'vitest';
import {
  applied,
  KEY,
  LOOK,
  OURS,
  organization,
  ready,
  shown,
} from '../simulation/by-hand/objects.ts';
import { CONTESTED } from '../simulation/scope/moves.ts';

const ADD = { privateEndpoints: { add: [CONTESTED], remove: [] } };
const REMOVE = { privateEndpoints: { add: [], remove: [CONTESTED] } };

describe('judge of what is at rest', () => {
  /**
   * An endpoint is removed, and added again when its user lists it again; then the removal is
   * carried out once more.
   */
  async function removedAgain({ isAnswered }: { readonly isAnswered: boolean }): Promise<string[]> {
    const record = organization({ privateEndpoints: [] });
    record.writes('one-1', KEY, { ...ready('NotConfirmed', 1), privateEndpoints: [OURS] });
    await record.until(10);
    record.calls('one-1', KEY, LOOK, shown('Old', CONTESTED));
    const removal = record.leaves('one-1', KEY, REMOVE);
    record.done(removal);
    if (isAnswered) record.answered(removal, shown('Old'));
    else record.unanswered(removal);
    record.writes('one-1', KEY, { ...ready('NotConfirmed', 1), privateEndpoints: [] });
    await record.until(20);
    record.edits(KEY, { privateEndpoints: [CONTESTED] });
    record.shows('one-1', KEY);
    if (isAnswered) record.calls('one-1', KEY, LOOK, shown('Old'));
    const requestId = record.calls('one-1', KEY, ADD, {
      ...shown('Old', CONTESTED),
      moves: { added: [CONTESTED] },
    });
    const privateEndpoints = [{ ...OURS, origin: 'Added' }];
    record.writes('one-1', KEY, { ...applied(record, 2, requestId), privateEndpoints });
    await record.until(45);
    record.done(removal, { moves: { removed: [CONTESTED] } });
    await record.until(200);
    return record.rules().filter((rule) => rule.startsWith('I4'));
  }

  it('lets come twice a removal that was answered', async () => {
    expect(await removedAgain({ isAnswered: true })).toEqual([]);
  });

  it('does not let come late one that was never seen to be over', async () => {
    expect(await removedAgain({ isAnswered: false })).toEqual(['I4 not-there']);
  });

  /**
   * A name is sent, another one is confirmed after the user has edited it, and then the first call
   * is carried out once more.
   */
  async function namedAgain({ isRefused }: { readonly isRefused: boolean }): Promise<string[]> {
    const record = organization({ name: 'A' });
    await record.until(10);
    record.calls('one-1', KEY, LOOK, shown('Old'));
    const first = record.leaves('one-1', KEY, { name: 'A' });
    record.done(first, { status: 429, applied: false });
    if (isRefused) record.answered(first, { status: 429 });
    else record.unanswered(first);
    await record.until(20);
    record.edits(KEY, { name: 'B' });
    record.shows('one-1', KEY);
    record.calls('one-1', KEY, LOOK, shown('Old'));
    const requestId = record.calls('one-1', KEY, { name: 'B' }, shown('B'));
    record.writes('one-1', KEY, applied(record, 2, requestId));
    await record.until(45);
    record.done(first, shown('A'));
    await record.until(200);
    return record.rules().filter((rule) => rule.startsWith('I4'));
  }

  it('lets come twice a name that was refused', async () => {
    expect(await namedAgain({ isRefused: true })).toEqual([]);
  });

  it('does not let come late one that had no answer', async () => {
    expect(await namedAgain({ isRefused: false })).toEqual(['I4 overwritten']);
  });
});
