import type { Fault } from '../../simulator/types.ts';
import { pathOf } from '../../support/pipe-settings.ts';
import { gateFor } from '../passing-gate.ts';
import type { Passing } from '../proxy.ts';
import type { Stage } from '../stage.ts';

/** An object that can be made to fail for ever, and mended again. */
export interface Poison {
  readonly what: string;
  create(stage: Stage): Promise<void>;
  /** From now on it fails. */
  spoil(stage: Stage): void;
  /** From now on nothing stands in its way; resolves when what was held has gone on. */
  mend(stage: Stage): Promise<void>;
  pathTo(stage: Stage): string;
  /** How long until users ask for another attempt; absent: 100 ms. */
  readonly pokeMs?: number;
  untilApplied(stage: Stage, timeoutMs: number): Promise<unknown>;
  /** How often it has been tried. */
  tries(stage: Stage): number;
}

const VICTIM = 'victim';
const LARGEST_ID = '5a1e0000-0000-4000-8000-00000000000e';

const SETTINGS: Pick<Poison, 'create' | 'pathTo' | 'untilApplied' | 'tries'> = {
  create: (stage) => stage.psets.create(VICTIM),
  pathTo: ({ namespace }) =>
    `/apis/pipewright.dev/v1alpha1/namespaces/${namespace}/pipesettings/${VICTIM}`,
  untilApplied: (stage, timeoutMs) => stage.psets.until(VICTIM, 'Applied', timeoutMs),
  tries: ({ simulator }) => simulator.callCount({ pathIncludes: pathOf(VICTIM) }),
};

function answered(what: string, fault: Fault): Poison {
  return {
    what,
    ...SETTINGS,
    spoil: ({ simulator }) => simulator.always(fault, { pathIncludes: pathOf(VICTIM) }),
    mend: async ({ simulator }) => simulator.clear(),
  };
}

function unwritable(what: string, answer: (passing: Passing) => Promise<void>): Poison {
  const isItsStatus = ({ method, path }: Passing): boolean =>
    method === 'PUT' && path.endsWith(`/${VICTIM}/status`);
  let refused = 0;
  return {
    what,
    ...SETTINGS,
    spoil: ({ kube }) =>
      kube.handle({
        async take(passing) {
          if (isItsStatus(passing)) {
            refused += 1;
            return answer(passing);
          }
          await passing.forward();
          return passing.reply();
        },
      }),
    mend: async ({ kube }) => kube.handle({}),
    tries: () => refused,
  };
}

function unanswered(what: string): Poison {
  let gate = gateFor(() => undefined);
  return {
    ...unwritable(what, (passing) => gate.take(passing)),
    spoil({ kube }) {
      gate = gateFor(({ method, path }) =>
        method === 'PUT' && path.endsWith(`/${VICTIM}/status`) ? 'request' : undefined,
      );
      kube.handle({ take: gate.take });
    },
    async mend({ kube }) {
      kube.handle({});
      await gate.open();
    },
    tries: () => gate.held(),
  };
}

/** An Organization as large as its schema allows. */
const LARGEST: Poison = {
  what: 'whose spec is the largest there can be is answered 400',
  // One attempt is dozens of calls until the refused ones are named.
  pokeMs: 1_000,
  create: (stage) =>
    stage.orgs.create(VICTIM, {
      organizationId: LARGEST_ID,
      name: 'n'.repeat(256),
      privateEndpoints: Array.from({ length: 100 }, (_, number) => ({
        id: String(number).padEnd(512, 'x'),
        cloudProvider: 'c'.repeat(64),
        region: 'r'.repeat(64),
        description: 'd'.repeat(512),
      })),
    }),
  spoil: ({ simulator }) =>
    simulator.always(
      { status: 400, error: `INVALID: ${'e'.repeat(4_000)}` },
      { pathIncludes: LARGEST_ID },
    ),
  mend: async ({ simulator }) => simulator.clear(),
  pathTo: (stage) => stage.orgs.pathTo(VICTIM),
  untilApplied: (stage, timeoutMs) => stage.orgs.until(VICTIM, 'Applied', timeoutMs),
  tries: ({ simulator }) => simulator.callCount({ pathIncludes: LARGEST_ID }),
};

export const POISONS: readonly Poison[] = [
  answered('whose calls are all answered 500', { status: 500 }),
  answered('whose calls are held until --api-timeout', { transport: 'no-answer' }),
  LARGEST,
  unwritable('whose status the schema refuses', (passing) =>
    passing.reply({
      status: 422,
      text: '{"kind":"Status","status":"Failure","reason":"Invalid","code":422}',
    }),
  ),
  unanswered('whose status writes are not answered'),
];
