import type { Judge } from '../oracles/court.ts';
import type { ApiCall } from '../record/facts.ts';

const IN_FLIGHT = 4;
const LONGEST_PAUSE_MS = 15 * 60_000;
/** Waits are in whole seconds on both sides. */
const TOLERANCE_MS = 1_000;

/** What one process has done with one key. */
interface Use {
  readonly starts: number[];
  readonly open: Set<ApiCall>;
  pausedUntil: number;
  /** The last word was 401: from then on one at a time. */
  refusedAt: number | undefined;
}

/** --api-rate starts in any window, --api-in-flight, pauses, and one try at a time after a 401. */
export const pace: Judge = (life, court) => {
  const uses = new Map<string, Use>();
  const [calls = 10, seconds = 10] = life.world.flags.rate.split('/').map((part) => parseInt(part));
  const useOf = ({ process, credential }: ApiCall): Use => {
    const key = JSON.stringify([process, credential]);
    const use = uses.get(key) ?? {
      starts: [],
      open: new Set(),
      pausedUntil: 0,
      refusedAt: undefined,
    };
    uses.set(key, use);
    return use;
  };

  life.chronicle.listen((fact) => {
    if (fact.what === 'leaves') {
      const { call, at } = fact;
      const use = useOf(call);
      const before = use.starts.at(-calls);
      if (before !== undefined && at - before < seconds * 1_000)
        court.report('pace rate', call.target, `${call.name} is one too many in ${seconds} s`);
      if (use.open.size >= IN_FLIGHT)
        court.report('pace in-flight', call.target, `${call.name} leaves beside ${use.open.size}`);
      if (at < use.pausedUntil - TOLERANCE_MS)
        court.report('pace pause', call.target, `${call.name} leaves in a pause of its key`);
      const { refusedAt } = use;
      if (refusedAt !== undefined && [...use.open].some((one) => one.leftAt > refusedAt))
        court.report('pace refused', call.target, `${call.name} leaves beside another try`);
      use.starts.push(at);
      use.open.add(call);
    }
    if (fact.what !== 'answered' && fact.what !== 'unanswered') return;
    const { call, at } = fact;
    const use = useOf(call);
    use.open.delete(call);
    const { reply } = call;
    if (!reply) return;
    if (reply.status === 401) use.refusedAt ??= at;
    else use.refusedAt = undefined;
    const wait = Number(reply.headers['retry-after']);
    if ((reply.status === 429 || reply.status === 503) && wait > 0)
      use.pausedUntil = Math.max(use.pausedUntil, at + Math.min(wait * 1_000, LONGEST_PAUSE_MS));
  });
  return {};
};
