import { parseDuration } from '../../duration.ts';
import { REQUESTED_AT } from '../../kinds/shared/common-status.ts';
import type { Context, Outcome } from '../command.ts';
import { complaintOf, inBatches, type Kubectl, KubectlError } from '../kubectl.ts';
import { type Found, fullName, getObjects, type ScopeFlags, shortNameOf } from '../objects.ts';
import { stateOf } from '../state.ts';
import { UserError } from '../user-error.ts';
import { counted } from '../words.ts';
import { type Verb, warnings } from './warnings.ts';

interface RequestFlags extends ScopeFlags {
  readonly wait?: boolean;
  /** As `kubectl wait` takes it. */
  readonly timeout: string;
}

const DONE = {
  retry: 'retry requested',
  suspend: 'suspended; a call that is in flight still ends',
  resume: 'resumed',
} as const satisfies Readonly<Record<Verb, string>>;

/** Asks the operator for something by a patch of each object. */
export async function runRequest(
  verb: Verb,
  { kubectl, now }: Context,
  names: readonly string[],
  flags: RequestFlags,
): Promise<Outcome> {
  if (names.length === 0 && flags.selector === undefined && flags.allNamespaces !== true)
    throw new UserError(
      `say what to ${verb}: names such as pset/orders, labels with -l, or every object with -A`,
    );
  // kubectl would say it only when the objects are changed already.
  const waitMs = parseDuration(flags.timeout);
  if (waitMs === undefined)
    throw new UserError(
      `--timeout ${JSON.stringify(flags.timeout)} is no time; write it as 90s, 10m or 1h`,
    );
  const found = await getObjects(kubectl, names, flags);
  if (found.length === 0)
    throw new UserError(`nothing to ${verb}: no such object; see kubectl pipewright status -A`);
  const time = new Date(now()).toISOString();
  const asked = await patchAll(kubectl, found, verb, time);
  const notes = warnings(verb, found);
  if (flags.wait !== true)
    return { lines: found.map((one) => `${titleOf(one)}: ${DONE[verb]}`), notes, code: 0 };
  // All together have this time, not each: what waits behind others has waited already.
  const until = now() + waitMs;
  await inBatches(asked, (one) => waitFor(kubectl, one, until - now()));
  const after = (await inBatches(asked, (one) => cameOut(kubectl, one))).flat();
  const lines = after.map(({ line }) => line);
  const late = after.filter(({ isAnswered }) => !isAnswered).length;
  if (late === 0) return { lines, notes, code: 0 };
  const error = `error: the operator did not act on ${late} of ${counted(after.length, 'object')} within ${flags.timeout}. They may be waiting for the rate limit; if it stays so, run kubectl pipewright check`;
  return { lines, notes: [...notes, error], code: 1 };
}

function titleOf(found: Found): string {
  return `${shortNameOf(found)} in ${found.object.metadata.namespace}`;
}

/** Objects of one namespace whose answer is the same, and the field of the status it stands in. */
interface Asked {
  readonly names: readonly string[];
  readonly namespace: string;
  readonly field: 'lastHandledReconcileAt' | 'observedGeneration';
  readonly value: string;
}

/** So many names stand on one command line; kubectl itself sends five patches a second. */
const AT_ONCE = 25;

async function patchAll(
  kubectl: Kubectl,
  found: readonly Found[],
  verb: Verb,
  time: string,
): Promise<readonly Asked[]> {
  const patch =
    verb === 'retry'
      ? { metadata: { annotations: { [REQUESTED_AT]: time } } }
      : { spec: { suspend: verb === 'suspend' ? true : null } };
  const how = ['--type=merge', '-p', JSON.stringify(patch)];
  const print = ['-o', 'jsonpath={.metadata.generation}{"\\n"}'];
  const done = await inBatches(chunksOf(found), async ({ namespace, names }) => {
    const args = ['patch', ...names, '-n', namespace, ...how, ...print];
    const ran = await kubectl.run(args);
    return { namespace, names, ran, problem: ran.code === 0 ? undefined : complaintOf(ran, args) };
  });
  const first = done.find(({ problem }) => problem !== undefined);
  // What else was asked for has been done, which the message says.
  const changed = done.reduce((sum, { names, problem }) => sum + (problem ? 0 : names.length), 0);
  if (first) throw new KubectlError(`${first.problem}; ${changed} of ${found.length} were changed`);
  const field = verb === 'retry' ? 'lastHandledReconcileAt' : 'observedGeneration';
  return done.flatMap(({ namespace, names, ran }) => {
    const generations = ran.stdout.trim().split('\n');
    const values = verb === 'retry' ? names.map(() => time) : generations;
    const same = Map.groupBy(names, (_, index) => values[index] ?? '');
    return [...same].map(([value, some]) => ({ names: some, namespace, field, value }));
  });
}

function chunksOf(found: readonly Found[]): readonly Pick<Asked, 'names' | 'namespace'>[] {
  const places = [...Map.groupBy(found, ({ object }) => object.metadata.namespace)];
  return places.flatMap(([namespace, all]) => {
    const starts = Array.from({ length: Math.ceil(all.length / AT_ONCE) }, (_, n) => n * AT_ONCE);
    return starts.map((at) => ({ namespace, names: all.slice(at, at + AT_ONCE).map(nameOf) }));
  });
}

function nameOf({ definition, object }: Found): string {
  return `${fullName(definition)}/${object.metadata.name}`;
}

/** Until all are answered or the time is over; who has answered is read afterwards. */
async function waitFor(kubectl: Kubectl, asked: Asked, ms: number): Promise<void> {
  const { names, namespace, field, value } = asked;
  const timeout = `--timeout=${Math.max(1, Math.ceil(ms / 1000))}s`;
  const condition = `--for=jsonpath={.status.${field}}=${value}`;
  const args = ['wait', ...names, '-n', namespace, condition, timeout];
  const ran = await kubectl.run(args);
  if (ran.code !== 0 && !ran.stderr.includes('timed out'))
    throw new KubectlError(complaintOf(ran, args));
}

async function cameOut(kubectl: Kubectl, { names, namespace, field, value }: Asked) {
  const found = await getObjects(kubectl, names, { namespace });
  return found.map((one) => {
    const status = (one.object.status ?? {}) as Readonly<Record<string, unknown>>;
    const isAnswered = String(status[field]) === value;
    const { state, reason, message } = stateOf(one.object);
    const says = isAnswered ? `${state} (${reason}). ${message}` : 'no answer yet';
    return { line: `${titleOf(one)}: ${says}`, isAnswered };
  });
}
