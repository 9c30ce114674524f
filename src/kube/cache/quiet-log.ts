import type { Log } from '../../log.ts';

/**
 * For a watch whose owner tells of its trouble in words of its own: what it has to say is for
 * debugging.
 */
export function quietLog(log: Log): Log {
  const debug: Log['debug'] = (fields, message) => log.debug(fields, message);
  return {
    trace: (fields, message) => log.trace(fields, message),
    debug,
    info: debug,
    warn: debug,
    error: (fields, message) => log.error(fields, message),
    fatal: (fields, message) => log.fatal(fields, message),
    child: (fields) => quietLog(log.child(fields)),
  };
}
