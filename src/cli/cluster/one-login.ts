import type { Ran } from './child.ts';
import { failureOf } from './kubectl-failure.ts';

type Run = (args: readonly string[], input?: string) => Promise<Ran>;

/**
 * Where somebody may be asked to log in, the first call to the cluster goes alone: the others would
 * each ask for a code of their own. Where it reaches nobody, they would not either.
 */
export function withOneLogin(run: Run, isAsked: boolean): Run {
  let first: Promise<Ran> | undefined;
  let isOver = !isAsked;
  return async (args, input) => {
    if (isOver || args[0] === 'config') return run(args, input);
    if (!first) {
      first = run(args, input).finally(() => (isOver = true));
      return first;
    }
    const ran = await first;
    return reached(ran) ? run(args, input) : ran;
  };
}

function reached({ code, stderr }: Ran): boolean {
  return code === 0 || !/^(Unauthorized|Unreachable)$/.test(failureOf(stderr, []).reason);
}
