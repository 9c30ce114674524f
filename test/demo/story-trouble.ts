import { readFile } from 'node:fs/promises';
import { hasCondition, readyOf, type Stage } from './stage.ts';
import type { Step } from './story.ts';
import { sameJson } from './story-everyday.ts';
import { NAMESPACE, OPERATOR_USER } from './world.ts';

/** What nobody wishes for. */
export const trouble: readonly Step[] = [
  { title: 'The API is down for a while', play: outage },
  { title: 'Two objects for one pipe', play: rename },
  { title: 'The operator restarts', play: restart },
];

async function outage(stage: Stage): Promise<void> {
  await stage.tell('The management API goes down, and just then somebody makes an edit:');
  await stage.simulator.down();
  await stage.edit('pset/orders', { settings: { streaming_max_insert_wait_ms: 8000 } });
  const waiting = await stage.becomes(
    'pset/orders',
    'Unavailable',
    ({ status }) => (status.attempts ?? 0) >= 2,
  );
  await stage.tell('What is the matter, and does anybody have to do something?');
  const explain = ['explain', 'pset/orders', '-n', NAMESPACE];
  const { stdout } = await stage.plugin(explain, { head: 13 });
  stage.check(
    'In plain words: what failed, that the operator continues by itself, and when',
    stdout.includes('No response from the API') &&
      stdout.includes('the operator continues by itself') &&
      /The operator tries again at \S+Z \(/.test(stdout),
    stdout,
  );
  stage.check(
    `The status has the same for programs: Reconciling, ${waiting.status.attempts} attempts so far, and in status.nextAttemptTime the next one`,
    hasCondition(waiting, 'Reconciling') && waiting.status.nextAttemptTime !== undefined,
    waiting.status,
  );
  await stage.tell('The waits between attempts double, up to five minutes. The API comes back:');
  await stage.simulator.up();
  const orders = await stage.becomes('pset/orders', 'Applied');
  const calls = stage.newCalls();
  stage.check(
    'Ready by itself, with one PUT, and nobody did anything',
    calls.length === 1 && sameJson(calls[0]?.body, orders.spec['settings']),
    calls,
  );
}

async function rename(stage: Stage): Promise<void> {
  await stage.tell(
    'Somebody renames orders in Git. For a while there are two objects for one pipe:',
  );
  const text = await readFile('deploy/examples/pipesettings.yaml', 'utf8');
  const renamed = text.replace('name: orders', 'name: orders-v2');
  await stage.apply(renamed, 'orders-v2.yaml   # as orders, with another name');
  const second = await stage.becomes('pset/orders-v2', 'TargetConflict');
  const { message } = readyOf(second);
  await stage.tell(`The newcomer says: “${message}”`);
  stage.check(
    'The first one keeps the pipe, the second one waits and sends nothing',
    message.includes('"orders"') &&
      hasCondition(second, 'Reconciling') &&
      stage.newCalls().length === 0,
    { message, calls: stage.simulator.log.slice(-3) },
  );
  await stage.tell('The rename is completed:');
  await stage.kubectl(['delete', 'pset/orders']);
  const holder = await stage.becomes('pset/orders-v2', 'Applied');
  const calls = stage.newCalls();
  stage.check(
    'orders-v2 has taken over by itself, with one PUT',
    calls.length === 1 && sameJson(calls[0]?.body, holder.spec['settings']),
    calls,
  );
}

async function restart(stage: Stage): Promise<void> {
  await stage.tell(
    'The operator is ended and started again, as in an upgrade or when its node goes:',
  );
  const code = await stage.operator.stop();
  stage.check('Ended in good order, its Lease released for a successor', code === 0, { code });
  const since = Date.now();
  await stage.operator.start();
  await stage.staysQuiet(
    'It has read all objects and works again; not one call was made, since status says what was sent',
  );
  const audit = await stage.controlPlane.audit();
  const writes = audit.filter(
    ({ user, verb, resource, received }) =>
      user === OPERATOR_USER &&
      received >= since &&
      resource !== 'leases' &&
      !['get', 'list', 'watch'].includes(verb),
  );
  stage.check('Not one write to Kubernetes either, but its Lease', writes.length === 0, writes);
}
