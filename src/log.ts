export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Plain values only, by type: an object or an error could carry a header or a body into the log. Errors go through `errorFields`. */
export type LogFields = Readonly<Record<string, string | number | boolean | undefined | readonly string[]>>;

/** Varying things go into the fields, so that the message stays the same and can be searched for. */
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
