export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/**
 * Plain values only, by type: an object or an error could carry a header or a body into the log.
 * Errors go through `errorFields`.
 */
type LogFields = Readonly<
  Record<string, string | number | boolean | undefined | readonly string[]>
>;

/**
 * Varying things go into the fields, so that the message stays the same and can be searched for.
 */
export interface Log {
  trace(fields: LogFields, message: string): void;
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
  fatal(fields: LogFields, message: string): void;
  /** A log that puts these fields on every line. */
  child(fields: LogFields): Log;
}

const MOST_CAUSES = 5;
const MOST_FRAMES = 12;

/** What a log line says of an error. Uncut: secrets are looked for in whole texts only. */
export type ErrorFields = {
  readonly error: string;
  readonly errorName: string;
  readonly errorCode?: string;
  readonly errorStatus?: number;
  readonly errorCauses?: readonly string[];
  readonly errorStack?: readonly string[];
};

/**
 * Only what is named here, never the other properties of an error: a client may have hung a request
 * with its headers on it.
 */
export function errorFields(error: unknown): ErrorFields {
  if (!(error instanceof Error)) return { error: String(error), errorName: typeof error };
  const { code, status } = error as { code?: unknown; status?: unknown };
  const causes = causesOf(error);
  return {
    error: error.message,
    errorName: error.name,
    ...(typeof code === 'string' && { errorCode: code }),
    ...(typeof status === 'number' && { errorStatus: status }),
    ...(causes.length > 0 && { errorCauses: causes }),
  };
}

/** For an error that is a mistake in this program: also where it was thrown. */
export function bugFields(error: unknown): ErrorFields {
  const frames =
    error instanceof Error
      ? (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line))
      : [];
  return {
    ...errorFields(error),
    errorStack: frames.slice(0, MOST_FRAMES).map((line) => line.trim()),
  };
}

/** An error on one line. */
export function describeError(error: Error): string {
  return error.message === '' ? error.name : `${error.name}: ${error.message}`;
}

function causesOf(error: Error): string[] {
  const seen = new Set<unknown>([error]);
  const open = reasonsOf(error);
  const texts: string[] = [];
  while (open.length > 0 && texts.length < MOST_CAUSES) {
    const cause = open.shift();
    if (seen.has(cause)) continue;
    seen.add(cause);
    if (!(cause instanceof Error)) continue;
    texts.push(describeError(cause));
    open.push(...reasonsOf(cause));
  }
  return texts;
}

/**
 * A connection that was tried on several addresses fails with an AggregateError, whose own message
 * is empty.
 */
function reasonsOf(error: Error): unknown[] {
  const { cause, errors } = error as { cause?: unknown; errors?: unknown };
  return [
    ...(cause === undefined ? [] : [cause]),
    ...(Array.isArray(errors) ? (errors as unknown[]) : []),
  ];
}
