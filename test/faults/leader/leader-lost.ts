import { setTimeout as pause } from 'node:timers/promises';
import type { Handlers, Passing } from '../proxy.ts';
import { isLease } from './leader-record.ts';
import { type LeaderStage, pass, type Replica } from './leader-stage.ts';

/** A way in which a leader loses its Lease. */
export interface Loss {
  readonly how: string;
  /** Resolves when it has begun. */
  begin(leader: Replica, stage: LeaderStage): Promise<void>;
  /** Ends it, where it has an end. */
  end?(leader: Replica): void;
  /** The process does not live to say that it has lost. */
  readonly dies?: true;
  /** It may be the leader again as soon as the other: the Lease is free for both. */
  readonly open?: true;
}

const never = new Promise<never>(() => undefined);
const SLOW_MS = 8_000;

/** Of the Lease's requests; the rest passes. */
function onLease(take: (passing: Passing) => Promise<void>): Handlers {
  return { take: (passing) => (isLease(passing) ? take(passing) : pass(passing)) };
}

function proxied(how: string, handlers: Handlers): Loss {
  return {
    how,
    begin: async (leader) => leader.onKube(handlers),
    end: (leader) => {
      leader.kube.cut();
      leader.onKube({});
    },
  };
}

/** All of them; each is begun on a leader that has calls to make. */
export const LOSSES: readonly Loss[] = [
  {
    how: 'frozen',
    begin: async ({ operator }) => void operator.process.kill('SIGSTOP'),
    end: ({ operator }) => void operator.process.kill('SIGCONT'),
  },
  { how: 'killed', begin: ({ operator }) => operator.kill(), dies: true },
  {
    ...proxied('cut off without a word', { take: () => never, line: () => never }),
    begin: async (leader) => {
      leader.onKube({ take: () => never, line: () => never });
      for (const watch of leader.kube.watches) watch.freeze();
    },
  },
  { how: 'cut off, every connection refused', begin: ({ kube }) => kube.close() },
  proxied(
    'without an answer about its Lease, while the rest goes on',
    onLease(() => never),
  ),
  proxied(
    'answered 500 about its Lease',
    onLease((passing) => passing.reply({ status: 500, text: '{"kind":"Status","code":500}' })),
  ),
  proxied(
    `answered about its Lease after ${SLOW_MS / 1000} s`,
    onLease(async (passing) => {
      const answer = await passing.forward();
      await pause(SLOW_MS);
      // The operator gives a try 3 s: this answer is no renewal to it, and as one given "instead"
      // it is none on record.
      await passing.reply(answer);
    }),
  ),
  {
    how: 'robbed: somebody else wrote the Lease',
    begin: (_, stage) => stage.writeLease('somebody-else'),
    open: true,
  },
];
