import type { Log } from '../../src/telemetry/log.ts';

/** A log that keeps every line as `level message {fields}`. */
export function recordingLog(): { readonly log: Log; readonly messages: string[] } {
  const messages: string[] = [];
  const at =
    (level: string): Log['info'] =>
    (fields, message) =>
      void messages.push(`${level} ${message} ${JSON.stringify(fields).replaceAll('\\"', '"')}`);
  const log: Log = {
    trace: at('trace'),
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    fatal: at('fatal'),
  };
  return { log, messages };
}
