import { randomBytes } from 'node:crypto';
import { duration } from '../../config/flag-values.ts';
import type { Reading } from '../../config/flags.ts';
import { timestamp } from '../../kinds/status/canonical.ts';
import type { KubeObject } from '../../kube/resource.ts';
import { type Found, shortNameOf } from '../cluster/objects.ts';
import type { Context, ExitCode } from '../command.ts';
import { createShell } from '../shell.ts';
import { Stopped, signalOf, UserError } from '../user-error.ts';
import { counted } from '../words.ts';
import { inTurn } from './in-turn.ts';
import { isGood } from './progress.ts';
import type { Row, Waited } from './row.ts';
import { type Selected, type SelectFlags, selectObjects } from './selected.ts';
import { type Action, actionOf, type Verb } from './verbs.ts';
import { waitForAnswers } from './wait-for-answers.ts';

export interface RequestFlags extends SelectFlags {
  readonly wait?: boolean;
  readonly timeout: string;
  readonly output: 'text' | 'json';
}

/** Does to each selected object what the verb says, and waits where asked to. */
export async function request(
  context: Context,
  about: {
    readonly verb: Verb;
    readonly words: readonly string[];
    readonly flags: RequestFlags;
  },
): Promise<ExitCode> {
  const { verb, words, flags } = about;
  const { terminal, clock } = context;
  const timeoutMs = valueOf('--timeout', duration('1s', '24h')(flags.timeout));
  const selected = await selectObjects(context, words, flags);
  const action = actionOf(verb, `${timestamp(clock.now())}-${randomBytes(4).toString('hex')}`);
  const isInMany = selected.scope.namespace === undefined;
  const written = await inTurn(selected.found, (found) => act(context, found, action, isInMany));
  const rows = [...written, ...selected.failed.map((one) => unread(one, selected))];
  if (rows.length === 0) terminal.tell(noneFound(selected, flags));
  for (const { title, remark } of rows)
    if (remark !== undefined) terminal.tell(`Remark: ${title} ${remark}.`);
  if (flags.output === 'text')
    for (const { title, result, text } of rows)
      if (!isUndone(result)) terminal.print(`${title}: ${text}`);
  const all =
    flags.wait === true && !context.stop.aborted
      ? await waitForAnswers(context, rows, {
          action,
          timeoutMs,
          scope: selected.scope,
          shell: createShell(flags),
        })
      : rows;
  if (flags.output === 'json')
    terminal.document(
      JSON.stringify(
        all.map((row) => shown(row, action)),
        null,
        2,
      ),
    );
  failWhere(all, verb, context.stop);
  if (flags.wait === true && context.stop.aborted && all.some(isLeft))
    throw new Stopped(signalOf(context.stop), STOPPED_WAITING);
  return all.every(({ waited }) => !waited || isWell(waited, action)) ? 0 : 2;
}

const STOPPED_WAITING =
  'stopped waiting; what was written stays, and the operator acts on it when it can';

/** Nobody knows yet what becomes of it. */
function isLeft({ found, waited }: Row): boolean {
  return found !== undefined && (!waited || waited.end === 'stopped');
}

function valueOf<Value>(flag: string, reading: Reading<Value>): Value {
  if ('value' in reading) return reading.value;
  throw new UserError(`${flag}: ${reading.problem}`);
}

async function act(
  { kubectl, stop }: Context,
  found: Found,
  action: Action,
  isInMany: boolean,
): Promise<Row> {
  const { definition, object } = found;
  const { name, namespace } = object.metadata;
  const title = isInMany ? `${namespace}: ${shortNameOf(found)}` : shortNameOf(found);
  const row = { title, kind: definition.type.kind, namespace, name };
  if (stop.aborted) return { ...row, result: 'notWritten', text: 'not written' };
  const unneeded = action.unneeded(object);
  if (unneeded !== undefined)
    return { ...row, found, result: 'unchanged', text: `${unneeded}, nothing is written` };
  try {
    const { plural, group } = definition.type;
    const patch = ['--type=merge', '-p', JSON.stringify(action.patch)];
    const kept = ['--field-manager=kubectl-pipewright', '-o', 'json'];
    const answer = await kubectl.succeed([
      'patch',
      `${plural}.${group}`,
      name,
      '-n',
      namespace,
      ...patch,
      ...kept,
    ]);
    const now = JSON.parse(answer) as KubeObject;
    const remark = action.remark(object);
    return {
      ...row,
      found: { definition, object: now },
      result: 'written',
      text: action.done,
      remark,
    };
  } catch (error) {
    if (error instanceof Stopped)
      return { ...row, result: 'unknown', text: 'stopped in the middle; it may be written' };
    if (!(error instanceof UserError)) throw error;
    return { ...row, result: 'failed', text: error.message };
  }
}

function unread({ name, error }: Selected['failed'][number], { scope }: Selected): Row {
  const { definition } = name;
  return {
    title: `${definition.shortName}/${name.name}`,
    kind: definition.type.kind,
    namespace: scope.namespace,
    name: name.name,
    result: 'failed',
    text: error,
  };
}

function noneFound({ scope }: Selected, { reason, selector }: RequestFlags): string {
  const where =
    scope.namespace === undefined
      ? 'any namespace'
      : `namespace ${JSON.stringify(scope.namespace)}`;
  const labels = selector === undefined ? '' : ` with the labels ${selector}`;
  const why = reason === undefined ? '' : ` with the reason ${reason}`;
  return `There is no such object in ${where}${labels}${why}; nothing is written.`;
}

const RESULTS: Readonly<Record<Verb, string>> = {
  retry: 'requested',
  suspend: 'suspended',
  resume: 'resumed',
};

/** One object of `-o json`. */
function shown(row: Row, { verb }: Action): object {
  const { kind, namespace, name, result, text, remark, waited } = row;
  const ready = waited?.end === 'acted' ? waited.ready : undefined;
  return {
    kind,
    namespace,
    name,
    result: result === 'written' ? RESULTS[verb] : result,
    ...(isUndone(result) && { error: text }),
    ...(waited?.end === 'failed' && { error: waited.error }),
    ...(remark !== undefined && { remark }),
    ...(waited && { waited: waited.end }),
    ...(ready && {
      ready: { status: ready.status, reason: ready.reason, message: ready.message },
    }),
  };
}

/** Throws UserError, or Stopped, that names all that failed, and why. */
function failWhere(rows: readonly Row[], verb: Verb, stop: AbortSignal): void {
  const failed = rows.flatMap(({ title, result, text, waited }) => {
    if (isUndone(result)) return [`${title}: ${text}`];
    return waited?.end === 'failed' ? [`${title}: ${waited.error}`] : [];
  });
  if (failed.length === 0) return;
  const isStopped =
    stop.aborted || rows.some(({ result }) => result === 'notWritten' || result === 'unknown');
  const what = `${verb} ${isStopped ? 'was stopped, and not done' : 'failed'}`;
  const message = `${what} for ${counted(failed.length, 'object')} of ${rows.length}:\n${failed.map((one) => `  ${one}`).join('\n')}`;
  throw isStopped ? new Stopped(signalOf(stop), message) : new UserError(message);
}

function isUndone(result: Row['result']): boolean {
  return result !== 'written' && result !== 'unchanged';
}

function isWell(waited: Waited, action: Action): boolean {
  return waited.end === 'acted' && isGood(waited.ready, action);
}
