import { type DestinationStream, pino } from 'pino';
import type { Log, LogLevel } from './log.ts';
import type { Redactor } from './mask.ts';

/** Characters, kept while stdout takes nothing; past that lines are lost. */
const MOST_KEPT = 2 ** 20;
const LONGEST_TEXT = 1024;
/** What lines are about: a tenant whose key is the name of another must not take it out of them. */
const NAMES = /^(kind|namespace|name|did|reason|path|cluster|identity|holder)$/;

/** JSON lines, each written before the call returns: the last one before a crash is there. */
export function createLog(options: {
  readonly level: LogLevel;
  readonly redactor: Redactor;
  /** stdout where absent. */
  readonly destination?: DestinationStream;
}): Log {
  const { level, redactor, destination = openStdout() } = options;
  const plainFields = (fields: object): Record<string, unknown> =>
    Object.fromEntries(
      Object.entries(fields).map(([name, value]) => {
        return [name, plain(value, NAMES.test(name) ? (text) => text : redactor.redact)];
      }),
    );
  const formatters = { level: (label: string) => ({ level: label }), log: plainFields };
  const timestamp = pino.stdTimeFunctions.isoTime;
  return pino({ level, base: null, timestamp, formatters }, destination);
}

/** A full disk must not end the process in the midst of a call: lines follow when there is room. */
function openStdout(): DestinationStream {
  const stdout = pino.destination({ dest: 1, sync: true, maxLength: MOST_KEPT });
  return stdout.on('error', () => {});
}

/** The type of the fields forbids objects; it does not bind a caller whose own type is wider. */
function plain(value: unknown, redact: (text: string) => string): unknown {
  if (Array.isArray(value)) return value.map((one) => plain(one, redact));
  if (typeof value === 'object' && value !== null) return '[not logged]';
  if (typeof value !== 'string') return value;
  // Cut only then: half a secret would not be found.
  const text = redact(value);
  return text.length <= LONGEST_TEXT ? text : `${text.slice(0, LONGEST_TEXT)}…`;
}
