import { createHash, type Hash } from 'node:crypto';
import { Draw } from '../engine/draw.ts';
import type { Violation } from '../invariants/court.ts';
import type { Product } from '../life/product.ts';
import { live } from '../life/run.ts';
import { drawWorld, type World } from '../life/world.ts';
import type { Fact } from '../record/facts.ts';
import { readyOf, statusOf } from '../record/objects.ts';
import { logLine } from './story.ts';

export interface Played {
  readonly seed: number;
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

/** The world that a seed stands for. */
export function worldOf(seed: number): World {
  return drawWorld(new Draw(`life ${seed}`));
}

/** Plays the life of a seed, which is the same life every time and everywhere. */
export async function play(seed: number, options: PlayOptions): Promise<Played> {
  const { product, without, listen } = options;
  // Thousands of calls are given up in a life, and each would draw a picture of the stack that nobody looks at.
  Error.stackTraceLimit = 0;
  const transitions = new Map<string, number>();
  const hash: Hash | undefined = options.digest ? createHash('sha256') : undefined;
  const court = await live({
    world: worldOf(seed),
    product,
    ...(without && { without }),
    listen: (life) => {
      life.chronicle.listen((fact) => {
        for (const name of transitionsIn(fact)) transitions.set(name, (transitions.get(name) ?? 0) + 1);
        hash?.update(`${logLine(fact)}\n`);
        listen?.(fact);
      });
    },
  });
  const { violations, excused } = court;
  return { seed, violations, excused, transitions, ...(hash && { digest: hash.digest('hex') }) };
}

/** What a write of a status changed: the reason, and the state of each entry of the ledger. */
function transitionsIn(fact: Fact): string[] {
  if (fact.what !== 'written' || !fact.change.kind.schema || fact.change.type !== 'MODIFIED') return [];
  const { kind, now, before } = fact.change;
  const [from, to] = [readyOf(before)?.reason, readyOf(now)?.reason];
  const found = from === to ? [] : [`${kind.plural} ${from} → ${to}`];
  const held = new Map(
    (statusOf(before).privateEndpoints ?? []).map((entry) => [entry.id, `${entry.origin} ${entry.state}`]),
  );
  for (const { id, origin, state } of statusOf(now).privateEndpoints ?? []) {
    const was = held.get(id) ?? 'none';
    if (was !== `${origin} ${state}`) found.push(`ledger ${was} → ${origin} ${state}`);
    held.delete(id);
  }
  for (const was of held.values()) found.push(`ledger ${was} → none`);
  return found;
}
