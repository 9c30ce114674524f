import { expect } from 'vitest';
import type { PageBlock } from '../support/page.ts';
import { startControllers } from './controllers.ts';
import { type Desk, openDesk } from './desk.ts';
import { follow } from './follow.ts';
import { HELMS } from './helm.ts';
import { freeingStuckCrds } from './stuck-crds.ts';

/** Namespaces and CRDs take long to go where the machine is busy. */
export const PATIENCE_MS = 180_000;

/** A desk in a cluster with controllers and without nodes; `helm` is Helm 4, and `helm3` Helm 3. */
export interface AdminWorld extends Desk {
  /** The names of all objects of ours, as `kind/name`. */
  ours(): Promise<string[]>;
  end(): Promise<void>;
}

export async function openAdminWorld(): Promise<AdminWorld> {
  const programs = Object.fromEntries(HELMS.map((name) => [name, name]));
  const desk = await openDesk({ programs });
  const controllers = await startControllers(desk.own);
  return {
    ...desk,
    async ours() {
      const kinds =
        'crd,clusterroles,clusterrolebindings,deployments,roles,rolebindings,configmaps,serviceaccounts,networkpolicies';
      const names = (await desk.succeed(`kubectl get ${kinds} -A -o name`)).split('\n');
      return names.filter((name) => name.includes('pipewright')).sort();
    },
    async end() {
      await controllers.stop();
      await desk.own.stop();
    },
  };
}

/** What is done before and after the blocks below a heading. */
export interface Place {
  readonly before?: () => Promise<unknown>;
  readonly after?: () => Promise<unknown>;
}

/** Follows a page on which CRDs are deleted; what fails in silence is found too. */
export function walkPage(
  page: readonly PageBlock[],
  world: () => AdminWorld,
  places: Readonly<Record<string, Place>>,
): void {
  const of = (when: keyof Place): Record<string, () => Promise<unknown>> =>
    Object.fromEntries(
      Object.entries(places).flatMap(([place, { [when]: action }]) =>
        action ? [[place, action]] : [],
      ),
    );
  const reader = (): Desk => {
    const desk = world();
    return {
      ...desk,
      async follow(...block) {
        const ran = await freeingStuckCrds(desk.own, () => desk.follow(...block));
        expect(ran.stderr.replaceAll(/^Warning: deleting cluster-scoped.*\n/gm, '')).not.toMatch(
          /error|invalid/i,
        );
        return ran;
      },
    };
  };
  // What is prepared, the block, and what it leaves, each with its time.
  const timeoutMs = 3 * PATIENCE_MS;
  follow(page, reader, { before: of('before'), after: of('after'), timeoutMs });
}
