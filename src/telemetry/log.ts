export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Plain values only, by type: an object or an error could carry a header or a body. */
type LogFields = Readonly<
  Record<string, string | number | boolean | undefined | readonly string[]>
>;

/** What varies goes into the fields: a message that stays the same can be searched for. */
export type Log = Readonly<
  Record<Exclude<LogLevel, 'silent'>, (fields: LogFields, message: string) => void>
>;

const MOST_CAUSES = 5;
const MOST_FRAMES = 12;

/** Never the other properties of an error: a client may have hung its request on it. */
export function errorFields(error: unknown) {
  if (!(error instanceof Error)) return { error: String(error), errorName: typeof error };
  const { code, status } = error as { code?: unknown; status?: unknown };
  const causes = causesOf(error);
  // Not cut: a secret is found only where it is whole.
  return {
    error: error.message,
    errorName: error.name,
    ...(typeof code === 'string' && { errorCode: code }),
    ...(typeof status === 'number' && { errorStatus: status }),
    ...(causes.length > 0 && { errorCauses: causes }),
  };
}

/** For an error that is a mistake in this program: also where it was thrown. */
export function bugFields(error: unknown) {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  const errorStack = stack.match(/(?<=^\s+)at .+/gm)?.slice(0, MOST_FRAMES) ?? [];
  return { ...errorFields(error), errorStack };
}

/** Of an AggregateError also the errors in it: without them a refused connection says nothing. */
function causesOf(error: Error): string[] {
  const found = new Set<Error>();
  const visit = (one: unknown): void => {
    if (!(one instanceof Error) || found.has(one) || found.size > MOST_CAUSES) return;
    found.add(one);
    visit(one.cause);
    if (one instanceof AggregateError) one.errors.forEach(visit);
  };
  visit(error);
  return [...found].slice(1).map(({ name, message }) => (message ? `${name}: ${message}` : name));
}
