import { describe, expect, it } from 'vitest';
import { KEY, LOOK, OURS, organization, ready, shown } from '../simulation/by-hand/objects.ts';
import { CONTESTED, ORGANIZATION } from '../simulation/scope/moves.ts';

const REMOVE = { privateEndpoints: { add: [], remove: [CONTESTED] } };

describe('judge of removals', () => {
  /**
   * What was adopted is removed and forgotten; so many seconds later somebody else adds it, and it
   * is removed once more.
   */
  async function removedAgain(seconds: number): Promise<string[]> {
    const record = organization({ privateEndpoints: [], adoptPrivateEndpoints: true });
    const others = (moves: object) =>
      record.life.tell({
        what: 'other',
        host: record.life.apiHost,
        organizationId: ORGANIZATION,
        moves: { added: [], removed: [], ...moves },
      });
    others({ added: [{ ...CONTESTED }] });
    const remove = async (at: number, origin: string): Promise<void> => {
      await record.until(at);
      record.calls('one-1', KEY, LOOK, shown('Old', CONTESTED));
      record.writes('one-1', KEY, {
        ...ready('NotConfirmed', 1),
        privateEndpoints: [{ ...OURS, origin }],
      });
      record.calls('one-1', KEY, REMOVE, { ...shown('Old'), moves: { removed: [CONTESTED] } });
      record.writes('one-1', KEY, { ...ready('Applied', 1), privateEndpoints: [] });
    };
    await remove(10, 'Adopted');
    await record.until(10 + seconds);
    others({ added: [{ ...CONTESTED }] });
    await remove(600, 'Added');
    return record.rulesSoFar().filter((rule) => rule.startsWith('I2'));
  }

  it('does not let go by what was adopted once', async () => {
    expect(await removedAgain(300)).toEqual(['I2 never-added']);
  });

  it('lets go what nobody can tell from it, so soon after it went', async () => {
    expect(await removedAgain(60)).toEqual([]);
  });
});

describe('judge of what is left', () => {
  it.each([
    ['lets stay what a refused add has left, once its adoption is taken back', false, []],
    ['has it gone while it is adopted', true, ['I3 unproven']],
  ] as const)('%s', async (_, isAdopting, rules) => {
    const record = organization({ privateEndpoints: [CONTESTED], adoptPrivateEndpoints: true });
    await record.until(10);
    const add = record.leaves('one-1', KEY, { privateEndpoints: { add: [CONTESTED], remove: [] } });
    record.done(add, { status: 409, moves: { added: [CONTESTED] } });
    record.answered(add, { status: 409 });
    record.calls('one-1', KEY, LOOK, shown('Old', CONTESTED));
    record.writes('one-1', KEY, { ...ready('Applied', 1), privateEndpoints: [OURS] });
    if (!isAdopting) {
      record.edits(KEY, { adoptPrivateEndpoints: undefined });
      record.shows('one-1', KEY);
      record.writes('one-1', KEY, {
        ...ready('Applied', 2),
        privateEndpoints: [{ ...OURS, origin: 'Found' }],
      });
    }
    record.edits(KEY, { privateEndpoints: [] });
    record.shows('one-1', KEY);
    record.calls('one-1', KEY, LOOK, shown('Old', CONTESTED));
    record.writes('one-1', KEY, { ...ready('Applied', isAdopting ? 2 : 3), privateEndpoints: [] });
    expect(record.rules().filter((rule) => /^I[34]/.test(rule))).toEqual(rules);
  });

  /**
   * A refused add has left its endpoint; the user lists it no more, and a status lets go of it, of
   * which an event tells or none does.
   */
  async function droppedWithIntent(then: 'dies' | 'goes on'): Promise<string[]> {
    const record = organization({ privateEndpoints: [CONTESTED] });
    await record.until(10);
    record.calls('one-1', KEY, LOOK, shown('Old'));
    const pendingChange = { time: record.time(), add: [CONTESTED], remove: [] };
    record.writes('one-1', KEY, { ...ready('NotConfirmed', 1), pendingChange });
    await record.until(11);
    const add = record.leaves('one-1', KEY, { privateEndpoints: { add: [CONTESTED], remove: [] } });
    record.done(add, { status: 409, moves: { added: [CONTESTED] } });
    record.answered(add, { status: 409 });
    record.edits(KEY, { privateEndpoints: [] });
    record.shows('one-1', KEY);
    record.calls('one-1', KEY, LOOK, shown('Old', CONTESTED));
    record.writes('one-1', KEY, ready('NotConfirmed', 2));
    if (then === 'dies') record.process('one-1', 'died');
    await record.until(200);
    const process = then === 'dies' ? 'one-2' : 'one-1';
    if (then === 'dies') record.begins(process, KEY);
    record.calls(process, KEY, LOOK, shown('Old', CONTESTED));
    record.writes(process, KEY, ready('Applied', 2));
    return record.rules().filter((rule) => rule.startsWith('I4'));
  }

  it('lets stay what an intent has left, whose writer died before it could tell', async () => {
    expect(await droppedWithIntent('dies')).toEqual([]);
  });

  it('has it told by a writer that lives', async () => {
    expect(await droppedWithIntent('goes on')).toEqual(['I4 not-removed']);
  });
});

describe('judge of claims', () => {
  const ELSEWHERE = { ...CONTESTED, region: 'eu-west-1' };
  const THEIRS = { ...CONTESTED, id: `${CONTESTED.id} ` };

  it.each([
    ['lets count as ours what came with our add under its id, with a blank after it', [], []],
    ['does not where the look before showed it', [THEIRS], ['I3 claims']],
  ] as const)('%s', async (_, before, rules) => {
    const record = organization({ privateEndpoints: [ELSEWHERE] });
    await record.until(10);
    record.calls('one-1', KEY, LOOK, shown('Old', ...before));
    const add = record.leaves('one-1', KEY, { privateEndpoints: { add: [ELSEWHERE], remove: [] } });
    await record.until(11);
    record.done(add, { moves: { added: [ELSEWHERE] } });
    record.answered(add, shown('Old', THEIRS));
    const privateEndpoints = [{ ...THEIRS, origin: 'Added', state: 'Present' }];
    record.writes('one-1', KEY, { ...ready('EndpointConflict', 1), privateEndpoints });
    expect(record.rulesSoFar()).toEqual(rules);
  });
});
