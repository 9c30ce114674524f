import type { Change } from '../kubernetes/objects.ts';
import type { ApiCall, Fact } from '../record/facts.ts';
import { readyOf, specOf, statusOf, targetOfSpec } from '../record/objects.ts';
import { optionsOf, type Plot } from './plot.ts';

const MOST_ENTRIES = 12;

/** One line of a story. */
export interface Line {
  readonly at: number;
  readonly text: string;
  /** Objects and targets that it is about; empty: it is about everything. */
  readonly about: readonly string[];
  /** The process that it is about, too. */
  readonly process?: string;
}

/** What a fact is to a reader: one line, or none where it is only for `--log`. */
export function tell(fact: Fact): Line[] {
  const line = lineOf(fact);
  return line ? [line] : [];
}

function lineOf(fact: Fact): Line | undefined {
  const { at } = fact;
  switch (fact.what) {
    case 'act':
      return { at, text: `* ${fact.text}`, about: [] };
    case 'process': {
      const text =
        fact.did === 'starts' ? `${fact.process} starts` : `${fact.process} ${DID[fact.did]}`;
      return {
        at,
        text: fact.text && fact.did === 'failed' ? `${text}: ${fact.text}` : text,
        about: [],
      };
    }
    case 'leaves':
      return {
        at,
        text: `${fact.call.process}: ${asked(fact.call)}`,
        about: [fact.call.target],
        process: fact.call.process,
      };
    case 'answered':
      return {
        at,
        text: `    ${fact.call.process} is answered ${answered(fact.call)}`,
        about: [fact.call.target],
        process: fact.call.process,
      };
    case 'unanswered':
      return {
        at,
        text: `    ${fact.call.process} has no answer (${fact.call.unanswered?.why})`,
        about: [fact.call.target],
        process: fact.call.process,
      };
    case 'done':
      return lateWork(fact.call, at);
    case 'written':
      return written(fact.change, at);
    default:
      return undefined;
  }
}

/** The lines of a story that are about its subject, or about everybody. */
export function told(lines: readonly Line[], subject: string): string[] {
  const near = new Set([
    subject,
    ...lines.filter(({ about }) => about.includes(subject)).flatMap(({ about }) => about),
  ]);
  const isNear = ({ about, process }: Line): boolean =>
    about.length === 0 || process === subject || about.some((one) => near.has(one));
  return folded(lines.filter(isNear));
}

/** What is said for the third time and more, but for its times and ids, is counted only. */
function folded(lines: readonly Line[]): string[] {
  const seen = new Map<string, number>();
  const told: string[] = [];
  let left = 0;
  const close = (): void => {
    if (left > 0) told.push(`              … ${left} more lines like those before`);
    left = 0;
  };
  for (const { at, text } of lines) {
    const plain = text.replace(/[0-9a-f]{8}-[0-9a-f-]{27}|\d\d:\d\d:\d\d/g, '…');
    const count = (seen.get(plain) ?? 0) + 1;
    seen.set(plain, count);
    if (count > 3) left += 1;
    else {
      close();
      told.push(`${clock(at)}  ${text}`);
    }
  }
  close();
  return told;
}

/** What the world of a story is like, as far as it is not the plainest. */
export function header(plot: Plot, without: ReadonlySet<string>): string[] {
  const { flags, elected, organizations, pipes, rate } = optionsOf(plot).world;
  const traits = [
    ...organizations.flatMap(({ id, traits: all }) => all.map(({ name }) => ({ whose: id, name }))),
    ...pipes.flatMap(({ pipeId, traits: all }) => all.map(({ name }) => ({ whose: pipeId, name }))),
  ].filter(({ whose, name }) => !without.has(`trait ${whose} ${name}`));
  return [
    `  --api-rate ${flags.rate}, --api-timeout ${flags.timeoutSeconds}s, --namespaces ${flags.namespaces?.join() ?? 'all'}${elected ? ', two processes and a Lease' : ''}${rate ? `; the API takes ${rate.calls} calls in ${rate.perMs / 1_000} s` : ''}`,
    ...traits.map(({ whose, name }) => `  ${whose}: ${name}`),
  ];
}

/** Every fact on one line, for `--log`. */
export function logLine(fact: Fact): string {
  const time = clock(fact.at);
  switch (fact.what) {
    case 'seen':
      return `${time}       ${fact.process} sees ${fact.key} ${fact.thing ? fact.thing.metadata.resourceVersion : 'gone'}`;
    case 'asked':
      return `${time}       ${fact.process} ${fact.ask.method} ${fact.ask.path} ${fact.ask.status ?? 'without an answer'}`;
    case 'log':
      return `${time}       ${fact.process} says ${withoutTime(fact.line)}`;
    case 'other':
      return `${time}       endpoints of ${fact.organizationId} changed by somebody else: +${ids(fact.moves.added)} -${ids(fact.moves.removed)}`;
    default:
      return `${time}  ${lineOf(fact)?.text ?? unseen(fact)}`;
  }
}

/** What is no line of a story. */
function unseen(fact: Fact): string {
  if (fact.what === 'done') return `done: ${asked(fact.call)}`;
  if (fact.what !== 'written') return fact.what;
  const { kind, type, now, by } = fact.change;
  return `${by}: ${type} ${kind.plural}/${now.metadata.namespace}/${now.metadata.name}`;
}

/** `00:12:03.250`. */
function clock(ms: number): string {
  const part = (value: number, width: number): string =>
    String(Math.floor(value)).padStart(width, '0');
  return `${part(ms / 3_600_000, 2)}:${part((ms / 60_000) % 60, 2)}:${part((ms / 1_000) % 60, 2)}.${part(ms % 1_000, 3)}`;
}

const DID = {
  starts: 'starts',
  'told-to-end': 'is told to end',
  ended: 'has ended',
  failed: 'ends with an error',
  killed: 'is killed, because its grace is over',
  died: 'is dead',
  frozen: 'stands still',
  'goes-on': 'goes on',
  'clock-jumped': 'has another wall clock',
} as const;

function asked({ method, target, text }: ApiCall): string {
  return `${method} ${target}${text === '' ? '' : ` ${text}`}`;
}

function answered({ reply }: ApiCall): string {
  const list = reply?.result?.privateEndpoints;
  const shown = Array.isArray(list) ? `, list [${shortList(list)}]` : '';
  const name =
    reply?.result?.name === undefined ? '' : `, name ${JSON.stringify(reply.result.name)}`;
  return `${reply?.status}${reply?.error === undefined ? '' : ` "${reply.error}"`}${name}${shown}`;
}

/** However long it is: the last entries are those that have just come. */
function shortList(list: readonly unknown[]): string {
  const last = list.slice(-MOST_ENTRIES).map(shortEntry).join(', ');
  return list.length > MOST_ENTRIES ? `${list.length - MOST_ENTRIES} more, ${last}` : last;
}

function shortEntry(entry: unknown): string {
  const { id, region } = (typeof entry === 'object' && entry !== null ? entry : {}) as {
    id?: unknown;
    region?: unknown;
  };
  return typeof id === 'string'
    ? `${id} ${typeof region === 'string' ? region : '?'}`
    : JSON.stringify(entry);
}

/**
 * Work is told of by itself only where nobody waits for its answer any more, or where it is done
 * again.
 */
function lateWork(call: ApiCall, at: number): Line | undefined {
  if (call.executions.length < 2 && !call.unanswered) return undefined;
  return { at, text: `    the API carries out, unseen: ${asked(call)}`, about: [call.target] };
}

function written({ kind, type, now, before, by }: Change, at: number): Line | undefined {
  const { namespace, name } = now.metadata;
  if (kind.plural === 'events') {
    const { regarding, reason, note } = now as unknown as {
      regarding?: { kind?: string; name?: string };
      reason?: string;
      note?: string;
    };
    const plural = {
      PipeSettings: 'pipesettings',
      Organization: 'organizations',
      Activity: 'activities',
    }[regarding?.kind ?? ''];
    return {
      at,
      text: `    event ${reason} of ${regarding?.name}: ${note}`,
      about: [`${plural}/${namespace}/${regarding?.name}`],
    };
  }
  if (!kind.schema) return undefined;
  const key = `${kind.plural}/${namespace}/${name}`;
  const about = [key, targetOfSpec(kind.plural, specOf(now))];
  if (type === 'DELETED') return { at, text: `${key} is gone`, about };
  if (type === 'ADDED') return { at, text: `${key} is there: ${JSON.stringify(now.spec)}`, about };
  if (by === 'user') {
    const going = now.metadata.deletionTimestamp !== before?.metadata.deletionTimestamp;
    return {
      at,
      text: going ? `${key} is being deleted` : `${key} is now: ${JSON.stringify(now.spec)}`,
      about,
    };
  }
  return { at, text: `    ${by} writes ${key}: ${statusText(now)}`, about };
}

function statusText(thing: Change['now']): string {
  const ready = readyOf(thing);
  const { privateEndpoints = [], pendingChange, nextAttemptTime } = statusOf(thing);
  const ledger = privateEndpoints.map(({ id, origin, state }) => `${id} ${origin} ${state}`);
  const pending = pendingChange
    ? `, pending +${ids(pendingChange.add ?? [])} -${ids(pendingChange.remove ?? [])}`
    : '';
  const finalizers = thing.metadata.finalizers
    ? `, finalizers ${thing.metadata.finalizers.join()}`
    : '';
  const next = nextAttemptTime === undefined ? '' : `, next ${nextAttemptTime.slice(11, 19)}`;
  return `${ready?.status} ${ready?.reason}: ${ready?.message}${next}${ledger.length > 0 ? `, ledger [${ledger.join(', ')}]` : ''}${pending}${finalizers}`;
}

function ids(endpoints: readonly { readonly id: string }[]): string {
  return `[${endpoints.map(({ id }) => id).join(', ')}]`;
}

/** A log line has the time of the machine on it, which is not the story's. */
function withoutTime(line: string): string {
  return line.trim().replace(/"time":"[^"]*",/, '');
}
