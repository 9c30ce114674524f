import type { Condition } from '../../controller/conditions.ts';
import { readyOf } from '../../kinds/status/common-status.ts';
import { REASONS } from '../../kinds/status/reasons.ts';
import { type Found, shortNameOf } from '../cluster/objects.ts';
import type { Shell } from '../shell.ts';
import { statusOf } from '../standing.ts';
import { putKeyCommand } from './keys.ts';
import type { Report } from './report.ts';
import { secretUses } from './secrets.ts';
import { grouped, listed, objectsNamed, quoted } from './words.ts';

export interface StatesCheck {
  readonly report: Report;
  readonly shell: Shell;
  /** Types of Secrets, as far as they are known, by `namespace/name`. */
  readonly types: ReadonlyMap<string, string>;
}

/** An object that is not Ready, and why. */
interface Waiting {
  readonly found: Found;
  readonly ready: Condition;
}

/** What the API has answered about a key, which holds for every object that uses it. */
const REFUSED = ['Unauthorized', 'Forbidden'];
const PAUSED = ['RateLimited'];
const DOWN = ['Unavailable', 'OutcomeUnknown'];
/** Told with the Secret itself, or with the right that is missing. */
const OF_SECRETS = ['SecretNotFound', 'SecretInvalid', 'SecretForbidden'];

/** Puts down what the statuses say: causes that many objects share as one finding. */
export function judgeStates(objects: readonly Found[], check: StatesCheck): void {
  const waiting = objects.flatMap(waitingOf);
  const withReason = (reasons: readonly string[]): readonly Waiting[] =>
    waiting.filter(({ ready }) => reasons.includes(ready.reason));
  check.report.made('keys', 'api', 'objects');
  judgeKeys(withReason(REFUSED), check, refusedKey);
  judgeKeys(withReason(PAUSED), check, pausedKey);
  judgeApi(withReason(DOWN), check);
  const told = new Set([...REFUSED, ...PAUSED, ...DOWN, ...OF_SECRETS]);
  const others = waiting.filter(({ found, ready }) => !told.has(ready.reason) && isStalled(found));
  for (const group of grouped(others, ({ ready }) => ready.reason)) judgeStalled(group, check);
  judgeForbiddenSecrets(withReason(['SecretForbidden']), check);
}

function waitingOf(found: Found): Waiting[] {
  const ready = readyOf(statusOf(found));
  return ready && ready.status !== 'True' ? [{ found, ready }] : [];
}

function isStalled(found: Found): boolean {
  const { conditions = [] } = statusOf(found);
  return conditions.some(({ type, status }) => type === 'Stalled' && status === 'True');
}

interface OfKey {
  readonly namespace: string;
  readonly secret: string;
  readonly ref: Parameters<typeof putKeyCommand>[0]['ref'];
  readonly waiting: readonly Found[];
  /** As the first of them says it. */
  readonly said: string;
}

function judgeKeys(
  waiting: readonly Waiting[],
  check: StatesCheck,
  told: (key: OfKey, check: StatesCheck) => { readonly says: string; readonly command: string },
): void {
  for (const { namespace, name, ref, objects } of secretUses(waiting.map(({ found }) => found))) {
    const [first] = waiting.filter(({ found }) => found === objects[0]);
    const said = quoted(first?.ready.message ?? '');
    const key = { namespace, secret: name, ref, waiting: objects, said };
    const object = `secret/${name} in namespace ${namespace}`;
    check.report.find({ check: 'keys', object, ...told(key, check) });
  }
}

function refusedKey(key: OfKey, { shell, types }: StatesCheck) {
  const { namespace, secret, ref, waiting, said } = key;
  const repair = putKeyCommand(
    { namespace, ref, type: types.get(`${namespace}/${secret}`) },
    shell,
  );
  return {
    says: `${said}. With the key in this Secret ${objectsNamed(waiting)} cannot go on. ${repair.says}`,
    command: repair.command,
  };
}

function pausedKey({ waiting, said }: OfKey, { shell }: StatesCheck) {
  return {
    says: `${said}. With the key in this Secret ${objectsNamed(waiting)} must wait. Only time mends this; the command waits with you.`,
    command: waitCommand(waiting, shell),
  };
}

function judgeApi(waiting: readonly Waiting[], { report, shell }: StatesCheck): void {
  const [first] = waiting;
  if (!first) return;
  const objects = waiting.map(({ found }) => found);
  report.find({
    check: 'api',
    says: `${quoted(first.ready.message)}. ${objectsNamed(objects)} must wait for the management API. Whoever runs it, or the network to it, has to mend that; the command asks for a new attempt and waits for it.`,
    command: retryCommand(objects, shell),
  });
}

function judgeStalled(group: readonly Waiting[], { report, shell }: StatesCheck): void {
  const [first] = group;
  if (!first) return;
  const { found, ready } = first;
  const row = Object.hasOwn(REASONS, ready.reason)
    ? REASONS[ready.reason as keyof typeof REASONS]
    : undefined;
  const objects = group.map((one) => one.found);
  report.find({
    check: 'objects',
    ...(group.length === 1 && {
      object: `${shortNameOf(found)} in namespace ${found.object.metadata.namespace}`,
    }),
    says: `${objectsNamed(objects)} ${group.length === 1 ? 'waits' : 'wait'} for ${row ? listed(row.acts) : 'a person'} with the reason ${quoted(ready.reason)}: ${quoted(ready.message)}.`,
    command: shell.plugin('explain', shortNameOf(found), '-n', found.object.metadata.namespace),
  });
}

/** Where neither a right that is missing nor a label that is missing was found, this is news. */
function judgeForbiddenSecrets(waiting: readonly Waiting[], check: StatesCheck): void {
  const isTold = check.report.findings.some(
    ({ check: name }) => name === 'rights' || name === 'secrets',
  );
  if (waiting.length > 0 && !isTold) judgeStalled(waiting, check);
}

/** So many are named in a command; the others have the same cause. */
const WAITED_FOR = 10;

/** As long as a rate limit of the API may hold an attempt back, and a little. */
const PATIENCE = '--timeout=20m';

function waitCommand(objects: readonly Found[], shell: Shell): string {
  const { namespace, names } = someOf(objects);
  return shell.kubectl('-n', namespace, 'wait', '--for=condition=Ready', PATIENCE, ...names);
}

function retryCommand(objects: readonly Found[], shell: Shell): string {
  const { namespace, names } = someOf(objects);
  return `${shell.plugin('retry', ...names, '-n', namespace)}; ${waitCommand(objects, shell)}`;
}

/** The first of those in the namespace of the first. */
function someOf(objects: readonly Found[]) {
  const namespace = objects[0]?.object.metadata.namespace ?? '';
  const names = objects
    .filter(({ object }) => object.metadata.namespace === namespace)
    .slice(0, WAITED_FOR)
    .map(shortNameOf);
  return { namespace, names };
}
