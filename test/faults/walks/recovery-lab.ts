import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { waitFor } from '../../controlplane/client.ts';
import type { Fault, Match } from '../../simulator/types.ts';
import { change, type Stored } from '../../support/cluster.ts';
import type { InnerOperator } from '../../support/inner-operator.ts';
import { endpoint } from '../../support/organizations.ts';
import { openScene, type Scene } from '../../support/scene.ts';
import type { Pset } from '../../support/scene-objects.ts';
import { type KindName, makersOf } from '../../support/states.ts';
import { CAPS } from './recovery-faults.ts';
import { masked } from './recovery-masked.ts';

type Spec = Readonly<Record<string, unknown>>;

/** An object that was brought to a good state and is to come back to it. */
export interface Patient {
  readonly keyOf: string;
  /** The calls for it. */
  readonly match: Match;
  /** Replaces its spec; absent: by the good one. */
  edit(spec?: Spec): Promise<void>;
  /** Its key is refused from now on. */
  revoke(): void;
  /**
   * Has the same asked of the API once more; a record, which is held for ever, by an object made
   * anew.
   */
  request(): Promise<void>;
  /**
   * Waits until it has failed so often since it was last well, turning the clock from one attempt
   * to the next; with this reason, where one is given.
   */
  untilFailed(times: number, reason?: string): Promise<void>;
  /** What there was to see of it, in the cluster and at the API, when it was well at first. */
  readonly before: unknown;
  /**
   * Waits until it is well, and gives what there is to see. `turn`: from one attempt to the next;
   * else the clock stands.
   */
  untilWell(options?: { readonly turn?: boolean }): Promise<unknown>;
}

export interface Lab {
  readonly scene: Scene;
  readonly operator: InnerOperator;
  patient(kind: KindName, name: string): Promise<Patient>;
  end(): Promise<void>;
}

/** What only the bad spec sends: a value of a setting, and a name. */
export const BAD = { PipeSettings: '1313131', Organization: 'No Such Name' } as const;

export const SPECS = {
  PipeSettings: {
    good: { settings: { engine_min_insert_block_size_bytes: 42 } },
    bad: { settings: { engine_min_insert_block_size_bytes: Number(BAD.PipeSettings) } },
  },
  Organization: {
    good: { name: 'Acme', privateEndpoints: [endpoint('ours')] },
    bad: { name: BAD.Organization, privateEndpoints: [endpoint('ours')] },
  },
  Activity: { good: {}, bad: {} },
} as const;

/** Waits are shortened or prolonged by a fifth at most, and end with a whole second. */
const longestWait = (reason: string): number => (CAPS[reason] ?? 0) * 1.2 + 1_000;

export async function openLab(): Promise<Lab> {
  const scene = await openScene({ start: false, simulator: { activity: { anyActivity: true } } });
  const operator = await scene.startInner();
  const { simulator } = scene;
  const { clock } = operator;
  const makers = makersOf(scene);

  async function patient(kind: KindName, name: string): Promise<Patient> {
    const make = makers[kind];
    const { good } = SPECS[kind];
    const keyOf = make.keyOf(name);
    const match = { pathIncludes: make.callsOf(name) };
    const edit = (spec: Spec = good): Promise<void> =>
      make.create(name, { ...spec, credentialsSecretRef: { name: keyOf } });
    const seen = (object: Pset) => ({
      ...(masked(object, name) as object),
      held: held(),
    });
    const held = (): unknown => {
      const { pipes, organizations } = simulator.dump();
      const state = { ...pipes, ...organizations };
      return Object.entries(state).find(([id]) => `/${id}/`.includes(make.callsOf(name)))?.[1];
    };

    /** Gives whether the object has failed. */
    const turned = ({ status }: Pset): boolean => {
      const reason = status.conditions[0]?.reason ?? '';
      const left = Date.parse(status.nextAttemptTime ?? '') - clock.now();
      if (status.conditions[0]?.status === 'True' || !(left > 0)) return false;
      expect(left, reason).toBeLessThanOrEqual(longestWait(reason));
      if (operator.isIdle()) clock.advance(left + 1);
      return true;
    };

    const { id } = await scene.newKey(keyOf);
    await edit();
    await make.until(name, kind === 'Activity' ? 'Fetched' : 'Applied');
    const before = seen(await make.get(name));

    return {
      keyOf,
      match,
      edit,
      revoke: () => simulator.setKey(id, undefined),
      async request() {
        if (kind === 'Activity') {
          await make.remove(name);
          return edit();
        }
        const annotations = { 'pipewright.dev/reconcile-requested-at': randomUUID() };
        await change(make.pathTo(name), (stored: Stored) => ({
          ...stored,
          metadata: { ...stored.metadata, annotations },
        }));
      },
      async untilFailed(times, reason) {
        await waitFor(() => make.get(name), {
          what: `${name} to fail ${times} times${reason === undefined ? '' : ` as ${reason}`}`,
          until: (object) => {
            const { metadata, status } = object;
            const ready = status.conditions[0];
            const isFailed =
              ready?.status !== 'True' && ready?.observedGeneration === metadata.generation;
            const isAsked = reason === undefined || ready?.reason === reason;
            if (isFailed && isAsked && (status.attempts ?? 0) >= times) return true;
            if (times > 1) turned(object);
            return false;
          },
        });
      },
      before,
      async untilWell({ turn = false } = {}) {
        const object = await waitFor(() => make.get(name), {
          what: `${name} to be well`,
          until: (one) => {
            const ready = one.status.conditions[0];
            if (ready?.status === 'True' && ready.observedGeneration === one.metadata.generation)
              return true;
            if (turn) turned(one);
            return false;
          },
        });
        return seen(object);
      },
    };
  }

  return {
    scene,
    operator,
    patient,
    async end() {
      await scene.end();
    },
  };
}

/** From now on these calls go wrong, until `cure`. */
export function ail({ scene: { simulator } }: Lab, fault: Fault, match: Match): void {
  simulator.always(fault, match);
}

export function cure({ scene: { simulator } }: Lab, match: Match): void {
  simulator.always({ slowMs: 0 }, match);
}
