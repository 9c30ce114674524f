import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { ORGANIZATION, RECORD } from '../support/examples.ts';
import { isStalled, readyOf, type Stage } from './stage.ts';
import { NAMESPACE } from './world.ts';

export interface Step {
  readonly title: string;
  /** Tells and checks; throws where something is not as told. */
  readonly play: (stage: Stage) => Promise<void>;
}

export const story: readonly Step[] = [
  { title: 'A new object', play: newObject },
  { title: 'An edit, planned before it is sent', play: plannedEdit },
  { title: 'A value that the API refuses', play: refusedValue },
  { title: 'An organization gets a private endpoint', play: organization },
  { title: 'Somebody disables the key', play: disabledKey },
  { title: 'An audit record', play: activity },
  { title: 'The organization is deleted', play: deletion },
];

const EXAMPLES = join(import.meta.dirname, '../../deploy/examples');
const THEIRS = { id: 'vpc-by-hand', cloudProvider: 'gcp', region: 'ap-northeast-1' };
const [ORDERS, ACME] = ['PipeSettings/orders', 'Organization/acme'];
/** The endpoint of the example. */
const OURS = '102600141743718403';

/** Edits the manifest as one would in Git. */
async function edit(stage: Stage, file: string, from: RegExp, to: string): Promise<void> {
  await stage.tell(`In ${file}: ${to}`);
  await writeFile(file, (await readFile(file, 'utf8')).replace(from, to));
}

async function declare(stage: Stage, concurrency: number): Promise<void> {
  await edit(stage, 'pipesettings.yaml', /concurrency: \d+/, `concurrency: ${concurrency}`);
  await stage.kubectl('apply -f pipesettings.yaml');
}

async function newObject(stage: Stage): Promise<void> {
  await stage.tell('A team wants the settings of its pipe in Git. First a Secret with an API key:');
  const { id, secret } = stage.keys.first;
  const text = await readFile(join(EXAMPLES, 'secret.yaml'), 'utf8');
  const filled = text.replace('replace-with-your-key-id', id);
  await writeFile('secret.yaml', filled.replace('replace-with-your-key-secret', secret));
  await stage.kubectl(`create namespace ${NAMESPACE}`);
  await stage.kubectl('apply -f secret.yaml');
  await stage.tell('Then an object that names the pipe and declares three settings:');
  await copyFile(join(EXAMPLES, 'pipesettings.yaml'), 'pipesettings.yaml');
  await stage.kubectl('apply -f pipesettings.yaml');
  const orders = await stage.becomes(ORDERS, 'Applied');
  const calls = stage.newCalls();
  const sent = calls.length === 1 && calls[0]?.method === 'PUT';
  stage.check(
    'The API got one PUT, with the declared settings and nothing else; the object is Ready',
    sent && isDeepStrictEqual(calls[0]?.body, orders.spec['settings']),
    calls,
  );
}

async function plannedEdit(stage: Stage): Promise<void> {
  await stage.tell('Before an edit is merged, the plugin of kubectl says what it would do:');
  await edit(stage, 'pipesettings.yaml', /concurrency: \d+/, 'concurrency: 12');
  const plan = await stage.kubectl('pipewright plan -f pipesettings.yaml --dry-run=server');
  stage.check(
    'Nothing was sent for that, and the exit code is 2: something would be',
    plan.code === 2 && stage.newCalls().length === 0,
    plan,
  );
  await stage.kubectl('apply -f pipesettings.yaml');
  await stage.becomes(ORDERS, 'Applied');
  const calls = stage.newCalls();
  stage.check(
    'Applied, it was sent as planned, to the letter',
    calls.length === 1 && plan.stdout.includes(calls[0]?.text ?? 'nothing'),
    { calls, plan },
  );
}

async function refusedValue(stage: Stage): Promise<void> {
  await stage.tell('The schema allows a concurrency up to 35. For this pipe the API allows 16:');
  stage.simulator.play({ settings: { ranges: { object_storage_concurrency: [1, 16] } } });
  await declare(stage, 24);
  const refused = await stage.becomes(ORDERS, 'Rejected');
  const { message } = readyOf(refused);
  await stage.tell(`The condition says: “${message}”`);
  const id = stage.newCalls().at(-1)?.requestId ?? 'none';
  stage.check(
    "Stalled: a person must act. The message has the API's own reason and the request id",
    isStalled(refused) && message.includes('out of range') && message.includes(id),
    { message, id },
  );
  await stage.tell('Mended, it recovers at once:');
  await declare(stage, 16);
  await stage.becomes(ORDERS, 'Applied');
}

async function organization(stage: Stage): Promise<void> {
  await stage.tell('Others work on the same list: somebody adds an endpoint by hand, and we ours.');
  await stage.someone.add({ ...THEIRS, description: 'added by hand' });
  await copyFile(join(EXAMPLES, 'organization.yaml'), 'organization.yaml');
  stage.newCalls();
  await stage.kubectl('apply -f organization.yaml');
  await stage.becomes(ACME, 'Applied');
  checkHeld(stage, 'The API has both', [OURS, THEIRS.id]);
}

function checkHeld(stage: Stage, claim: string, expected: readonly string[]): void {
  const held = stage.simulator.organization(ORGANIZATION)?.privateEndpoints ?? [];
  const ids = held.map(({ id }) => id).toSorted();
  stage.check(claim, isDeepStrictEqual(ids, expected.toSorted()), held);
}

async function disabledKey(stage: Stage): Promise<void> {
  const { first, next } = stage.keys;
  stage.newCalls();
  await stage.tell(`Somebody disables ${first.id} at the platform. The next edit cannot be sent:`);
  stage.simulator.setKey(first.id, first.secret, { disabled: true });
  await declare(stage, 10);
  const refused = await stage.becomes(ORDERS, 'Unauthorized');
  const { stdout } = await stage.kubectl(`pipewright status pset/orders -n ${NAMESPACE}`);
  stage.check(
    'The plugin says who must act, and what was confirmed last',
    isStalled(refused) && stdout.includes('owner of the API key'),
    stdout,
  );
  await stage.tell('The Secret gets a new key:');
  const patch = JSON.stringify({ stringData: { keyId: next.id, keySecret: next.secret } });
  await stage.kubectl(`patch secret management-api -n ${NAMESPACE} --type merge -p`, patch);
  await stage.becomes(ORDERS, 'Applied');
  const last = stage.newCalls().at(-1);
  stage.check(`Sent by itself, with ${next.id}`, last?.keyId === next.id, last);
}

async function activity(stage: Stage): Promise<void> {
  await stage.tell('An organization has an audit log. An Activity brings one record of it here:');
  await copyFile(join(EXAMPLES, 'activity.yaml'), 'activity.yaml');
  await stage.kubectl('apply -f activity.yaml');
  const record = await stage.becomes('Activity/who-created-it', 'Fetched');
  await stage.kubectl(`get pact -n ${NAMESPACE}`);
  const calls = stage.newCalls();
  stage.check(
    'One GET, and the record is in status.activity as the API has it',
    calls.length === 1 && isDeepStrictEqual(record.status['activity'], RECORD),
    { calls, status: record.status },
  );
}

async function deletion(stage: Stage): Promise<void> {
  await stage.tell('By default a deletion leaves the API as it is. This one takes ours along:');
  const policy = 'deletionPolicy: RemovePrivateEndpoints';
  await edit(stage, 'organization.yaml', /deletionPolicy: \w+/, policy);
  await stage.kubectl('apply -f organization.yaml');
  await stage.becomes(ACME, 'Applied', ({ metadata }) => metadata.finalizers?.length === 1);
  await stage.kubectl('delete -f organization.yaml');
  await stage.gone(ACME);
  checkHeld(stage, `${OURS} is removed, ${THEIRS.id} is still there`, [THEIRS.id]);
}
