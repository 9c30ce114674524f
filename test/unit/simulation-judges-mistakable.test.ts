import { describe, expect, it } from 'vitest';
import { KEY, LOOK, organization, ready, shown } from '../simulation/by-hand/objects.ts';
import type { HandRecord } from '../simulation/by-hand/record.ts';
import { CONTESTED, ORGANIZATION } from '../simulation/scope/moves.ts';

const ADD = { privateEndpoints: { add: [CONTESTED], remove: [] } };
const REMOVE = { privateEndpoints: { add: [], remove: [CONTESTED] } };
const UNCONFIRMED = { ...CONTESTED, origin: 'Added', state: 'Unconfirmed' };
/** An add that leaves at second 10 is over at 105: `--api-timeout` and 60 s. */
const LEFT = 10;
const OVER = 105;

function somebodyAdds(record: HandRecord): void {
  const { life } = record;
  const moves = { added: [{ ...CONTESTED }], removed: [] };
  life.tell({ what: 'other', host: life.apiHost, organizationId: ORGANIZATION, moves });
}

/** A look shows it, it counts as ours, and goes once it is listed no more; gives what that breaks. */
function takenForOurs(record: HandRecord, process: string): string[] {
  const privateEndpoints = [{ ...UNCONFIRMED, state: 'Present' }];
  record.calls(process, KEY, LOOK, shown('Old', CONTESTED));
  record.writes(process, KEY, { ...ready('Applied', 1), privateEndpoints });
  record.edits(KEY, { privateEndpoints: [] });
  record.shows(process, KEY);
  record.calls(process, KEY, LOOK, shown('Old', CONTESTED));
  record.calls(process, KEY, REMOVE, { ...shown('Old'), moves: { removed: [CONTESTED] } });
  return record.rulesSoFar().filter((rule) => rule.startsWith('I2'));
}

/** An add was answered by a list without it. */
async function added(): Promise<HandRecord> {
  const record = organization({ privateEndpoints: [CONTESTED] });
  await record.until(LEFT);
  record.calls('one-1', KEY, LOOK, shown('Old'));
  record.writes('one-1', KEY, {
    ...ready('NotConfirmed', 1),
    pendingChange: { time: record.time(), ...ADD.privateEndpoints },
  });
  record.calls('one-1', KEY, ADD, shown('Old'));
  record.writes('one-1', KEY, { ...ready('NotConfirmed', 1), privateEndpoints: [UNCONFIRMED] });
  return record;
}

describe('judge of removals', () => {
  it.each([
    ['is not settled by a list that was asked for before', OVER - 2, []],
    ['is settled by one that was asked for after that', OVER + 0.5, ['I2 came-later']],
  ] as const)('holds that an add which was at work until then %s', async (_, askedAt, rules) => {
    const record = await added();
    await record.until(askedAt);
    const look = record.leaves('one-1', KEY, LOOK);
    record.done(look);
    await record.until(OVER + 1);
    record.answered(look, shown('Old'));
    await record.until(OVER + 2);
    somebodyAdds(record);
    await record.until(OVER + 3);
    expect(takenForOurs(record, 'one-1')).toEqual(rules);
  });
});
