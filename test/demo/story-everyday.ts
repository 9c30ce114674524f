import { readFile } from 'node:fs/promises';
import { readyOf, type Stage } from './stage.ts';
import type { Step } from './story.ts';

/** What happens on a good day. */
export const everyday: readonly Step[] = [
  { title: 'A new object', play: newObject },
  { title: 'An edit', play: edit },
  { title: 'A rotated key', play: rotatedKey },
];

async function newObject(stage: Stage): Promise<void> {
  await stage.tell(
    'A team wants the settings of its pipe kept in Git. It needs a namespace, and a Secret with an API key:',
  );
  await stage.createNamespace();
  const { id, secret } = stage.keys.old;
  const example = await readFile('deploy/examples/secret.yaml', 'utf8');
  const filled = example
    .replace('replace-with-your-key-id', id)
    .replace('replace-with-your-key-secret', secret);
  await stage.apply(filled, 'deploy/examples/secret.yaml   # with the key of this demo');
  await stage.tell('Then an object that names the pipe and declares three settings of it:');
  const file = 'deploy/examples/pipesettings.yaml';
  await stage.apply(await readFile(file, 'utf8'), file);
  const orders = await stage.becomes('pset/orders', 'Applied');
  const calls = stage.newCalls();
  stage.check(
    'The API received exactly one PUT, with the declared settings and nothing else',
    calls.length === 1 &&
      calls[0]?.method === 'PUT' &&
      sameJson(calls[0].body, orders.spec['settings']),
    calls,
  );
  stage.check(
    `The object is Ready, and its status holds the id of the request (${calls[0]?.requestId}) to quote to the API's support`,
    readyOf(orders).status === 'True' &&
      orders.status.lastRequest?.requestId === calls[0]?.requestId,
    orders.status,
  );
}

async function edit(stage: Stage): Promise<void> {
  await stage.tell(
    'Before an edit is merged, the plugin of kubectl says what it would do. It is made from the code of the operator:',
  );
  const example = await readFile('deploy/examples/pipesettings.yaml', 'utf8');
  const edited = example.replace('concurrency: 8', 'concurrency: 12');
  await stage.writeManifest('orders.yaml', edited);
  const plan = await stage.plugin(['plan', '-f', 'orders.yaml']);
  stage.check(
    'Nothing was sent for that, and the exit code is 2: something would be',
    plan.code === 2 && stage.newCalls().length === 0,
    plan,
  );
  await stage.tell(
    'Applied, it is sent at once: always the whole declared set, which is right whether the API merges or replaces.',
  );
  await stage.apply(edited, 'orders.yaml');
  const orders = await stage.becomes('pset/orders', 'Applied');
  const calls = stage.newCalls();
  stage.check(
    'One edit, one PUT',
    calls.length === 1 && sameJson(calls[0]?.body, orders.spec['settings']),
    calls,
  );
  stage.check(
    'It is to the letter what the plan said',
    plan.stdout.includes(`Would send: PUT ${calls[0]?.path}\n    ${calls[0]?.text}\n`),
    { calls, plan },
  );
  const history = orders.status['history'] as
    | { changes: { field: string; from?: unknown; to?: unknown }[] }[]
    | undefined;
  const change = history
    ?.at(-1)
    ?.changes.find(({ field }) => field.endsWith('object_storage_concurrency'));
  stage.check(
    `status.history says what changed: object_storage_concurrency from ${String(change?.from)} to ${String(change?.to)}`,
    change?.from === 8 && change.to === 12,
    history,
  );
}

async function rotatedKey(stage: Stage): Promise<void> {
  const { old, next } = stage.keys;
  await stage.tell(
    `The key is rotated: the API no longer accepts ${old.id}, and the Secret gets ${next.id}.`,
  );
  stage.simulator.setKey(old.id, old.secret, { disabled: true });
  const patch = JSON.stringify({ stringData: { keyId: next.id, keySecret: next.secret } });
  await stage.kubectl(['patch', 'secret', 'management-api', '--type', 'merge', '-p', patch]);
  await stage.staysQuiet('Nothing was sent because of it: a key is no reason to write to a pipe');
  await stage.tell('The next edit goes out with the new key:');
  await stage.edit('pset/orders', { settings: { object_storage_concurrency: 10 } });
  await stage.becomes('pset/orders', 'Applied');
  const calls = stage.newCalls();
  stage.check(
    `One PUT, with ${next.id}, accepted; the old key was not tried`,
    calls.length === 1 && calls[0]?.keyId === next.id && calls[0].status === 200,
    calls,
  );
}

/** Whatever the order of the keys. */
export function sameJson(a: unknown, b: unknown): boolean {
  const text = (value: unknown) =>
    JSON.stringify(Object.entries(value ?? {}).toSorted(([x], [y]) => (x < y ? -1 : 1)));
  return text(a) === text(b);
}
