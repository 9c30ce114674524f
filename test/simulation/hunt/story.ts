import type { Change } from '../kubernetes/objects.ts';
import { type ApiCall, type EndpointView, endpointsOf, type Fact } from '../record/facts.ts';
import { keyOf, readyOf, specOf, statusOf, targetOfSpec } from '../record/objects.ts';

/** One line of a story. */
export interface Line {
  readonly at: number;
  readonly text: string;
  /** Objects and targets that it is about; empty: it is about everything. */
  readonly about: readonly string[];
}

/** What a fact is to a reader: one line, or none where it is only for `--log`. */
export function lineOf(fact: Fact): Line | undefined {
  const { at } = fact;
  const about = 'call' in fact ? [fact.call.target] : [];
  switch (fact.what) {
    case 'act':
      return { at, text: `* ${fact.text}`, about };
    case 'process': {
      const why = fact.text === undefined ? '' : `: ${fact.text}`;
      return { at, text: `${fact.process} ${fact.did}${why}`, about };
    }
    case 'leaves':
      return { at, text: `${fact.call.process}: ${asked(fact.call)}`, about };
    case 'answered':
      return { at, text: `    is answered ${answered(fact.call)}`, about };
    case 'unanswered':
      return { at, text: `    has no answer (${fact.call.unanswered?.why})`, about };
    case 'done': {
      const text = `    is carried out, unseen: ${asked(fact.call)}`;
      return fact.call.unanswered ? { at, text, about } : undefined;
    }
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
  const isNear = ({ about }: Line): boolean =>
    about.length === 0 || about.some((one) => near.has(one));
  return lines.filter(isNear).map(({ at, text }) => `${clock(at)}  ${text}`);
}

/** Every fact on one line, for `--log`. */
export function logLine(fact: Fact): string {
  const time = clock(fact.at);
  switch (fact.what) {
    case 'asked': {
      const { method, path, status } = fact.ask;
      return `${time}       ${fact.process} ${method} ${path} ${status ?? 'without an answer'}`;
    }
    case 'log':
      // The time of the machine on it is not the story's.
      return `${time}       ${fact.process} says ${fact.line.trim().replace(/"time":"[^"]*",/, '')}`;
    case 'done':
      return `${time}  done: ${fact.call.name} ${fact.call.executions.at(-1)?.status}`;
    default:
      return `${time}  ${lineOf(fact)?.text ?? fact.what}`;
  }
}

/** `00:12:03.250`. */
function clock(ms: number): string {
  return new Date(ms).toISOString().slice(11, 23);
}

function asked({ name, text }: ApiCall): string {
  return `${name}${text === '' ? '' : ` ${text}`}`;
}

function answered({ reply }: ApiCall): string {
  const list = reply?.result?.privateEndpoints;
  const shown = Array.isArray(list) ? `, list ${ids(list as EndpointView[])}` : '';
  const { name: text } = reply?.result ?? {};
  const name = text === undefined ? '' : `, name ${JSON.stringify(text)}`;
  return `${reply?.status}${reply?.error === undefined ? '' : ` "${reply.error}"`}${name}${shown}`;
}

function written({ kind, type, now, before, by }: Change, at: number): Line | undefined {
  const { namespace } = now.metadata;
  if (kind.plural === 'events') {
    const { regarding, reason, note } = now as unknown as {
      readonly regarding?: { readonly kind?: string; readonly name?: string };
      readonly reason?: string;
      readonly note?: string;
    };
    const plural = `${regarding?.kind?.toLowerCase().replace(/y$/, 'ie').replace(/s$/, '')}s`;
    return {
      at,
      text: `    event ${reason} of ${regarding?.name}: ${note}`,
      about: [`${plural}/${namespace}/${regarding?.name}`],
    };
  }
  if (!kind.schema) return undefined;
  const key = keyOf(kind.plural, now);
  const about = [key, targetOfSpec(kind.plural, specOf(now))];
  if (type === 'DELETED') return { at, text: `${key} is gone`, about };
  if (type === 'ADDED') return { at, text: `${key} is there: ${JSON.stringify(now.spec)}`, about };
  if (by !== 'user') return { at, text: `    ${by} writes ${key}: ${statusText(now)}`, about };
  const isGoing = now.metadata.deletionTimestamp !== before?.metadata.deletionTimestamp;
  const text = isGoing ? `${key} is being deleted` : `${key} is now: ${JSON.stringify(now.spec)}`;
  return { at, text, about };
}

function statusText(thing: Change['now']): string {
  const ready = readyOf(thing);
  const { privateEndpoints = [], pendingChange, nextAttemptTime } = statusOf(thing);
  const { add, remove } = endpointsOf({ privateEndpoints: pendingChange ?? {} });
  const parts = [
    `${ready?.status} ${ready?.reason}: ${ready?.message}`,
    ...(nextAttemptTime === undefined ? [] : [`next ${nextAttemptTime.slice(11, 19)}`]),
    ...(privateEndpoints.length === 0
      ? []
      : [privateEndpoints.map((one) => `${one.id} ${one.origin} ${one.state}`).join(', ')]),
    ...(pendingChange ? [`pending +${ids(add)} -${ids(remove)}`] : []),
    ...(thing.metadata.finalizers ?? []),
  ];
  return parts.join('; ');
}

function ids(endpoints: readonly { readonly id?: unknown }[]): string {
  return `[${endpoints.map((one) => String(one?.id)).join(', ')}]`;
}
