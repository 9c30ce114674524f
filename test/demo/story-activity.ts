import { readFile } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import { ORGANIZATION, RECORD } from '../support/examples.ts';
import type { Stage } from './stage.ts';
import type { Step } from './story.ts';

/** One record of who did what. */
export const activities: readonly Step[] = [{ title: 'An audit record', play: record }];

const FILE = 'deploy/examples/activity.yaml';

async function record(stage: Stage): Promise<void> {
  await stage.tell('An organization has an audit log. An Activity brings one record of it here:');
  stage.simulator.setActivity(ORGANIZATION, RECORD);
  await stage.apply(await readFile(FILE, 'utf8'), FILE);
  const activity = await stage.becomes('pact/who-created-it', 'Fetched');
  const calls = stage.newCalls();
  stage.check(
    'One GET, and the record is in status.activity as the API wrote it',
    calls.length === 1 &&
      calls[0]?.method === 'GET' &&
      isDeepStrictEqual(activity.status['activity'], RECORD),
    { calls, status: activity.status },
  );
  const table = await stage.print(['get', 'pact']);
  stage.check(
    'The columns say what happened, who did it and when',
    [RECORD.type, RECORD.actorId, RECORD.createdAt].every((value) => table.includes(value)),
    table,
  );
  const log = await readFile(stage.logFile, 'utf8');
  const found = [RECORD.actorDetails, RECORD.actorIpAddress, RECORD.actorId].filter((value) =>
    log.includes(value),
  );
  stage.check(
    "It names people and addresses: none of that is in the operator's log",
    found.length === 0,
    found,
  );
  await stage.tell('Suspended and resumed:');
  await stage.edit('pact/who-created-it', { suspend: true });
  await stage.becomes('pact/who-created-it', 'Suspended');
  await stage.edit('pact/who-created-it', { suspend: false });
  await stage.becomes('pact/who-created-it', 'Fetched');
  stage.check(
    'Not fetched again: a record does not change',
    stage.newCalls().length === 0,
    stage.simulator.log.slice(-3),
  );
}
