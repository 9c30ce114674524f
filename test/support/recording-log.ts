import type { Log } from '../../src/telemetry/log.ts';

/** A log that keeps every line as `level message {fields}`. */
export function recordingLog(): { readonly log: Log; readonly messages: string[] } {
  const messages: string[] = [];
  const at = (level: string): readonly [string, Log['info']] => [
    level,
    (fields, message) =>
      void messages.push(`${level} ${message} ${JSON.stringify(fields).replaceAll('\\"', '"')}`),
  ];
  const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'];
  return { log: Object.fromEntries(levels.map(at)) as unknown as Log, messages };
}
