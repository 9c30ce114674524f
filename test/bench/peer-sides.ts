import type { FloorStep } from './floor-steps.ts';
import { type Program, READY, WORKING } from './processes.ts';
import type { Stage } from './stage.ts';

/** What every side does at once. */
export const CONCURRENCY = 10;
export const FLAGS = ['--api-in-flight', String(CONCURRENCY), '--concurrency', String(CONCURRENCY)];

/** What is compared: the least that can be done, a Go operator, and ours. */
export const SIDES = ['bare', 'go', 'operator'] as const;
export type PeerSide = (typeof SIDES)[number];

/** Starts one that applies what is in a namespace; `status` is an example of one to write. */
export async function startSide(
  stage: Stage,
  side: PeerSide,
  {
    namespace,
    status,
    upTo,
  }: { readonly namespace: string; readonly status: object; readonly upTo?: FloorStep | undefined },
): Promise<Program> {
  const options = { namespace, status, upTo, concurrency: CONCURRENCY };
  switch (side) {
    case 'bare':
      return stage.startPeer('bare-loop.ts', options);
    case 'go':
      return stage.startGoPeer(options);
    case 'operator':
      // As on a first start: a cache may be in the environment of this process.
      return stage.startOperator({
        namespace,
        flags: FLAGS,
        env: { NODE_DISABLE_COMPILE_CACHE: '1' },
      });
  }
}

/** What an operator prints when it has read all there is. */
export const WORD = { go: READY, operator: WORKING } as const;
