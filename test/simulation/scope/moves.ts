import { patchAsSomebody } from '../adversary/api.ts';
import { kindOf } from '../kubernetes/kinds.ts';
import type { Life } from '../life/life.ts';
import type { Endpoint } from '../life/specs.ts';
import type { Schedule } from './schedule.ts';

/** The one organization, what is declared of it, and by which object. */
export const ORGANIZATION = '7f0e6f0c-0000-4000-8000-000000000001';
export const CONTESTED: Endpoint = { id: 'psc-1', cloudProvider: 'gcp', region: 'ap-northeast-1' };
export const OTHER: Endpoint = { ...CONTESTED, id: 'psc-2' };
export const OBJECT = { namespace: 'team-a', name: 'o1' };

/** Something that happens once in an interleaving, or not at all. */
export interface Move {
  text(schedule: Schedule): string;
  perform(life: Life, schedule: Schedule): void;
}

/**
 * All that happens in this small scope: another client, a user who changes his mind, and one
 * mishap.
 */
export const MOVES: readonly Move[] = [
  {
    text: () => 'somebody else adds psc-1',
    perform: (life) => void patchAsSomebody(life, ORGANIZATION, { add: [CONTESTED] }),
  },
  {
    text: () => 'somebody else removes psc-1',
    perform: (life) => void patchAsSomebody(life, ORGANIZATION, { remove: [CONTESTED] }),
  },
  {
    text: ({ isSettled }) =>
      isSettled ? 'the user lists psc-1 again' : 'the user takes psc-1 off the list',
    perform: (life, { isSettled }) => declare(life, isSettled ? [CONTESTED, OTHER] : [OTHER]),
  },
  {
    text: ({ mishap }) =>
      mishap === 'crash' ? 'the operator dies' : 'the connections to the API break',
    perform: (life, { mishap }) => {
      if (mishap === 'crash') for (const process of life.fleet.processes) process.crash();
      else for (const pool of life.fleet.apiPools()) pool.breakOff();
    },
  },
];

/** The user writes this list, where there is the object in this telling. */
export function declare(life: Life, privateEndpoints: readonly Endpoint[]): void {
  if (!life.stored('organizations', OBJECT.namespace, OBJECT.name)) return;
  life.kube.as('user').edit(kindOf('organizations'), OBJECT.namespace, OBJECT.name, (thing) => ({
    ...thing,
    spec: { ...(thing.spec as object), privateEndpoints },
  }));
}
