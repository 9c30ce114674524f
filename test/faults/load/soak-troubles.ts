import { setTimeout as pause } from 'node:timers/promises';
import { RATE_HEADERS } from '../../simulator/types.ts';
import type { Wire } from '../wire.ts';
import type { Stage } from './soak-stage.ts';

const PATIENCE_MS = 60_000;

interface Trouble {
  readonly what: string;
  /** Seconds into a round. */
  readonly at: readonly number[];
  /** In every so many rounds; absent: in all. */
  readonly rounds?: number;
  readonly act: () => void | Promise<void>;
}

/**
 * What befalls the two servers and the way to them in each round. A silence is left alone for as
 * long as it takes to be noticed.
 */
export function troublesOf(stage: Stage, wire: Wire) {
  const { controlPlane, simulator } = stage;
  const done: Record<string, number> = {};
  let limits = 0;
  const all: readonly Trouble[] = [
    { what: 'connections to Kubernetes cut', at: [2, 12, 22], act: wire.cut },
    { what: 'connections to Kubernetes gone silent', at: [30], act: wire.freeze },
    {
      what: 'two calls a second for a key, the others 429',
      at: [40, 60],
      act() {
        const header = RATE_HEADERS[limits++ % RATE_HEADERS.length] ?? 'none';
        simulator.play({ rate: { calls: 2, perMs: 1_000, header } });
      },
    },
    { what: 'that lifted', at: [50, 70], act: () => simulator.play({ rate: undefined }) },
    { what: 'management API down for 3 s', at: [74], act: () => simulator.down({ forMs: 3_000 }) },
    {
      what: 'API server restarted',
      at: [78],
      rounds: 3,
      async act() {
        await controlPlane.stopApiServer();
        await controlPlane.startApiServer();
        await untilServed(stage);
      },
    },
  ];
  return {
    done: done as Readonly<Record<string, number>>,
    /** What comes due in one round, the earliest first. */
    round(number: number): { readonly at: number; readonly act: () => Promise<void> }[] {
      return all
        .filter(({ rounds = 1 }) => number % rounds === 0)
        .flatMap(({ what, at, act }) =>
          at.map((second) => ({
            at: second * 1_000,
            async act() {
              done[what] = (done[what] ?? 0) + 1;
              await act();
            },
          })),
        )
        .toSorted((a, b) => a.at - b.at);
    },
    /** Takes back what still stands. */
    async lift(): Promise<void> {
      simulator.clear();
      simulator.play({ rate: undefined });
      await simulator.up();
    },
  };
}

/** An API server that has just started knows its own kinds before ours. */
async function untilServed(stage: Stage): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      return void (await stage.ask('GET', '/apis/pipewright.dev/v1alpha1/organizations'));
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await pause(200);
    }
  }
}
