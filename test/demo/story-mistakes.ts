import { readFile } from 'node:fs/promises';
import { hasCondition, readyOf, type Stage } from './stage.ts';
import type { Step } from './story.ts';

/** What a user can get wrong, and how to see it before. */
export const mistakes: readonly Step[] = [
  { title: 'A value that the API refuses', play: refusedValue },
  { title: 'A pipe that does not exist', play: missingPipe },
  { title: 'See before sending', play: planned },
];

async function refusedValue(stage: Stage): Promise<void> {
  await stage.tell(
    'The documentation of the API allows object_storage_concurrency up to 35, and so does our schema. But for this pipe the API draws the line at 16:',
  );
  stage.simulator.play({ settings: { ranges: { object_storage_concurrency: [1, 16] } } });
  await stage.edit('pset/orders', { settings: { object_storage_concurrency: 24 } });
  const refused = await stage.becomes('pset/orders', 'Rejected');
  const calls = stage.newCalls();
  const { message } = readyOf(refused);
  await stage.tell(`The condition says: “${message}”`);
  stage.check(
    "Stalled: the user must act. The message holds the API's own reason and the request id",
    hasCondition(refused, 'Stalled') &&
      message.includes('out of range') &&
      message.includes(idOf(calls)),
    { message, calls },
  );
  await stage.tell('Corrected, it recovers at once:');
  await stage.edit('pset/orders', { settings: { object_storage_concurrency: 16 } });
  const corrected = await stage.becomes('pset/orders', 'Applied');
  stage.check(
    'Ready again, nothing left of Stalled',
    !hasCondition(corrected, 'Stalled'),
    corrected.status,
  );
  stage.newCalls();
}

async function missingPipe(stage: Stage): Promise<void> {
  await stage.tell('Somebody mistypes the id of a pipe:');
  const text = await readFile('deploy/examples/pipesettings.yaml', 'utf8');
  const typo = text.replace('name: orders', 'name: typo').replace('pipeId: "9e44', 'pipeId: "6e44');
  await stage.apply(typo, 'typo.yaml   # as orders, but its pipeId starts with 6e44, not 9e44');
  const missing = await stage.becomes('pset/typo', 'NotFound');
  const calls = stage.newCalls();
  await stage.tell(`The condition says: “${readyOf(missing).message}”`);
  stage.check(
    'Stalled after one call; it is tried again in a minute, then ever more rarely, should the pipe appear',
    hasCondition(missing, 'Stalled') &&
      calls.length === 1 &&
      missing.status.nextAttemptTime !== undefined,
    { status: missing.status, calls },
  );
  await stage.tell('The pipe of an object cannot be changed, so the object has to go:');
  await stage.kubectl(['delete', 'pset/typo']);
  await stage.gone('pset/typo');
  stage.check(
    'Deleted at once and without a call',
    stage.newCalls().length === 0,
    stage.simulator.log.slice(-3),
  );
}

async function planned(stage: Stage): Promise<void> {
  await stage.tell(
    'With mode: Plan an object sends nothing, and shows to the letter what it would send:',
  );
  const file = 'deploy/examples/pipesettings-plan.yaml';
  await stage.apply(await readFile(file, 'utf8'), file);
  const invoices = await stage.becomes('pset/invoices', 'Planned');
  const [request] = (
    invoices.status['plan'] as { requests: { method: string; path: string; body: string }[] }
  ).requests;
  if (!request)
    throw new Error(`status.plan of invoices holds no request: ${JSON.stringify(invoices.status)}`);
  await stage.tell(`status.plan says: ${request.method} ${request.path} with ${request.body}`);
  stage.check('No call so far', stage.newCalls().length === 0, stage.simulator.log.slice(-3));
  await stage.tell('It looks right, so:');
  await stage.edit('pset/invoices', { mode: 'Apply' });
  await stage.becomes('pset/invoices', 'Applied');
  const calls = stage.newCalls();
  stage.check(
    'Exactly the planned request was sent. NEXT is a day away: this object asks to be sent again daily',
    calls.length === 1 && calls[0]?.path === request.path && calls[0].text === request.body,
    calls,
  );
}

function idOf(calls: readonly { readonly requestId?: string }[]): string {
  const id = calls.at(-1)?.requestId;
  if (id === undefined)
    throw new Error(`the API answered no call with a request id: ${JSON.stringify(calls)}`);
  return id;
}
