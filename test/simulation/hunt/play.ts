import { createHash, type Hash } from 'node:crypto';
import type { Violation } from '../invariants/court.ts';
import type { Product } from '../life/product.ts';
import { live } from '../life/run.ts';
import type { Fact } from '../record/facts.ts';
import { readyOf, statusOf } from '../record/objects.ts';
import { liveBeside } from '../tenants/beside.ts';
import { optionsOf, type Plot } from './plot.ts';
import { logLine } from './story.ts';

export interface Played {
  readonly plot: Plot;
  readonly violations: readonly Violation[];
  /** What no client could have avoided, by kind. */
  readonly excused: ReadonlyMap<string, number>;
  /** How often each object went from one state to another: `organizations Pending → Applied`. */
  readonly transitions: ReadonlyMap<string, number>;
  /** Of every event of the life, where it was asked for: equal for equal lives. */
  readonly digest?: string;
}

export interface PlayOptions {
  readonly product: Product;
  /** Names of what does not happen this time. */
  readonly without?: ReadonlySet<string>;
  readonly listen?: (fact: Fact) => void;
  readonly digest?: boolean;
}

/** Plays a life, which is the same life every time and everywhere. */
export async function play(plot: Plot, options: PlayOptions): Promise<Played> {
  const { product, without, listen } = options;
  // Thousands of calls are given up in a life, and each would draw a picture of the stack that
  // nobody looks at.
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  const transitions = new Map<string, number>();
  const hash: Hash | undefined = options.digest ? createHash('sha256') : undefined;
  const court = await (plot.isTenants ? liveBeside : live)({
    ...optionsOf(plot),
    product,
    ...(without && { without }),
    listen: (life) => {
      life.chronicle.listen((fact) => {
        for (const name of transitionsIn(fact))
          transitions.set(name, (transitions.get(name) ?? 0) + 1);
        hash?.update(`${logLine(fact)}\n`);
        listen?.(fact);
      });
    },
  }).finally(() => {
    Error.stackTraceLimit = stackTraceLimit;
  });
  const { violations, excused } = court;
  return { plot, violations, excused, transitions, ...(hash && { digest: hash.digest('hex') }) };
}

/** What a write of a status changed: the reason, and the state of each entry of the ledger. */
function transitionsIn(fact: Fact): string[] {
  if (fact.what !== 'written' || !fact.change.kind.schema || fact.change.type !== 'MODIFIED')
    return [];
  const { kind, now, before } = fact.change;
  const [from, to] = [readyOf(before)?.reason, readyOf(now)?.reason];
  const found = from === to ? [] : [`${kind.plural} ${from} → ${to}`];
  const held = new Map(
    (statusOf(before).privateEndpoints ?? []).map((entry) => [
      entry.id,
      `${entry.origin} ${entry.state}`,
    ]),
  );
  for (const { id, origin, state } of statusOf(now).privateEndpoints ?? []) {
    const was = held.get(id) ?? 'none';
    if (was !== `${origin} ${state}`) found.push(`ledger ${was} → ${origin} ${state}`);
    held.delete(id);
  }
  for (const was of held.values()) found.push(`ledger ${was} → none`);
  return found;
}
