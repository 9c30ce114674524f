import { randomUUID } from 'node:crypto';
import { waitFor } from '../../controlplane/client.ts';
import { asAdmin, change } from '../../support/cluster.ts';
import type { Stage } from '../stage.ts';
import { hide, type View } from './views.ts';
import { subjectOf } from './views-subjects.ts';

/**
 * What happens to a Secret that an object refers to. `rotate`: another key, and the one before is
 * refused; `spoil`: half of a pair.
 */
type SecretAct = 'rotate' | 'spoil' | 'remove';

/**
 * Acts of which the operator is not told one. The object is changed after each; at once, or when
 * the operator has looked at it.
 */
export interface SecretCase {
  readonly name: string;
  readonly acts: readonly SecretAct[];
  readonly after: number;
  readonly pace: 'at once' | 'one by one';
}

const SEQUENCES: readonly (readonly SecretAct[])[] = [
  ['rotate', 'rotate'],
  ['remove', 'rotate'],
  ['spoil', 'rotate'],
  ['remove', 'rotate', 'remove', 'rotate'],
];

export const SECRET_CASES: readonly SecretCase[] = SEQUENCES.flatMap((acts, sequence) =>
  (['at once', 'one by one'] as const).flatMap((pace) =>
    acts.map((_, after) => ({
      name: `k${sequence}-${pace === 'at once' ? 'a' : 'b'}${after}`,
      acts,
      after,
      pace,
    })),
  ),
);

export interface SecretResult {
  readonly hidden: number;
  /** The key that was right in the end, and the one that the last call came with. */
  readonly right: string;
  readonly used: string | undefined;
}

/**
 * Resolves when the operator watches these Secrets: it is told by a line of all that happens to
 * them from now on.
 */
export async function untilWatched(
  { kube }: Pick<Stage, 'kube'>,
  names: readonly string[],
): Promise<void> {
  const selectors = (): (string | null)[] =>
    [...kube.watches].map(({ path }) => new URL(path, kube.url).searchParams.get('fieldSelector'));
  await waitFor(selectors, {
    what: `a watch of each of the Secrets ${names.join(', ')}`,
    until: (watched) => names.every((name) => watched.includes(`metadata.name=${name}`)),
  });
}

export async function runSecretCase(
  stage: Stage,
  view: View,
  one: SecretCase,
): Promise<SecretResult> {
  const { name, acts, after, pace } = one;
  const path = `/api/v1/namespaces/${stage.namespace}/secrets/${name}`;
  const credentialsSecretRef = { name };
  const subject = subjectOf(stage, 'PipeSettings', name);
  let right = (await stage.newKey(name)).id;
  const live = async (act: SecretAct): Promise<void> => {
    stage.simulator.setKey(right, undefined);
    if (act === 'remove') await asAdmin('DELETE', path);
    else if (act === 'spoil') await stage.secret(name, { keyId: right });
    else right = (await stage.newKey(name)).id;
  };
  await subject.make(1, { credentialsSecretRef });
  await subject.untilWish(1);
  // A key is read for the first time without waiting for the watch.
  await untilWatched(stage, [name]);
  let told = 0;
  const { hidden } = hide(view, ({ plural, object }) => {
    if (plural !== 'secrets' || object.metadata.name !== name) return false;
    told += 1;
    return told === after + 1;
  });
  for (const [index, act] of acts.entries()) {
    await live(act);
    if (index === after)
      await waitFor(() => hidden() === 1, {
        what: `${act} of ${name} to be kept from the operator`,
      });
    await subject.change(index + 2, { credentialsSecretRef });
    if (pace === 'one by one') await subject.untilLookedAt();
  }
  await change(path, (stored) => ({
    ...stored,
    metadata: { ...stored.metadata, labels: { touched: randomUUID() } },
  }));
  await subject.untilWish(acts.length + 1);
  const used = stage.simulator.calls({ pathIncludes: `/${name}/` }).at(-1)?.keyId;
  return { hidden: hidden(), right, used };
}
