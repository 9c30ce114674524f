import { staged } from './objects.ts';
import type { Reply } from './process.ts';
import { ok } from './replies.ts';

export type Values = Readonly<Record<string, unknown>>;

/** One pipe, whose API answers with these settings in turn; the last of them for ever. */
export function pipe(
  settings: Values,
  replies: readonly (Values | Reply)[] = [],
  spec: object = {},
) {
  const of = (reply: Values | Reply | undefined) =>
    reply && 'answered' in reply ? (reply as Reply) : reply && ok(reply);
  const api = (_: unknown, nth: number) => of(replies[nth] ?? replies.at(-1));
  return staged('PipeSettings', { spec: { settings, ...spec } }, { api });
}
export const threads = (engine_max_threads: unknown) => ({ engine_max_threads });
