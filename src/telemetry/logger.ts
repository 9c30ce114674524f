import { type Logger, pino } from 'pino';
import { describeError, type Log, type LogLevel } from '../log.ts';
import type { Redactor } from '../redaction.ts';

interface LogOptions {
  readonly level: LogLevel;
  readonly redactor: Redactor;
  /** Where lines go; stdout where absent. */
  readonly destination?: { write(line: string): unknown };
}

/** Kept while stdout takes nothing; past that lines are lost. */
const MOST_KEPT = 2 ** 20;

const LONGEST_TEXT = 1024;
const WITHHELD = '[withheld: it could not be searched for secrets]';

/**
 * JSON lines with an ISO time, written before the call returns: the last line before a crash is
 * there. Whatever a caller hands in, only plain values, lists of strings and the text of errors are
 * written.
 */
export function createLog({ level, redactor, destination = openStdout() }: LogOptions): Log {
  const onlyPlain = (fields: object): Record<string, unknown> => plainFields(fields, redactor);
  const logger = pino(
    {
      level,
      base: null,
      messageKey: 'msg',
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }), log: onlyPlain },
    },
    destination,
  );
  return wrap(logger, onlyPlain);
}

/**
 * A full disk must not end the process in the midst of a call: the lines follow when there is room
 * again.
 */
function openStdout(): ReturnType<typeof pino.destination> {
  const stdout = pino.destination({ dest: 1, sync: true, maxLength: MOST_KEPT });
  stdout.on('error', () => {});
  return stdout;
}

/** pino formats the fields of a line but not those of a child, so these are made plain here. */
function wrap(logger: Logger, onlyPlain: (fields: object) => Record<string, unknown>): Log {
  return {
    trace: (fields, message) => logger.trace(fields, message),
    debug: (fields, message) => logger.debug(fields, message),
    info: (fields, message) => logger.info(fields, message),
    warn: (fields, message) => logger.warn(fields, message),
    error: (fields, message) => logger.error(fields, message),
    fatal: (fields, message) => logger.fatal(fields, message),
    child: (fields) => wrap(logger.child(onlyPlain(fields)), onlyPlain),
  };
}

/**
 * What a line is about. Names are no secrets, and a tenant whose key is the name of another must
 * not take that out of every line; so too what stands around values, and the message, which the
 * code alone says.
 */
const NAMES: ReadonlySet<string> = new Set(
  'kind namespace name did reason path watch cluster identity holder'.split(' '),
);

/**
 * The types forbid more than this already; it holds for callers whose own type of a log is wider.
 */
function plainFields(fields: object, redactor: Redactor): Record<string, unknown> {
  // Cut only once it is redacted: half a secret would not be found.
  const clean = (text: string): string => cut(redacted(text, redactor));
  const values = fields as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    Object.keys(values).map((name) => [name, plain(values[name], NAMES.has(name) ? cut : clean)]),
  );
}

/** A text that cannot be redacted is not written: its error may say the very secret. */
function redacted(text: string, redactor: Redactor): string {
  try {
    return redactor.apply(text);
  } catch {
    return WITHHELD;
  }
}

function plain(value: unknown, text: (value: string) => string): unknown {
  if (typeof value === 'string') return text(value);
  if (value instanceof Error) return text(describeError(value));
  if (Array.isArray(value))
    return value.map((item) => (typeof item === 'string' ? text(item) : '[not logged]'));
  if (typeof value === 'bigint') return String(value);
  if (value === null || (typeof value !== 'object' && typeof value !== 'function')) return value;
  return '[not logged]';
}

function cut(text: string): string {
  return text.length <= LONGEST_TEXT ? text : `${text.slice(0, LONGEST_TEXT)}…`;
}
