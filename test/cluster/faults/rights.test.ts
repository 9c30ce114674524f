import { afterAll, beforeAll, expect, test } from 'vitest';
import { audit, waitFor } from '../../controlplane/client.ts';
import { allow, change, type Rule, shippedRules } from '../../support/cluster.ts';
import { KINDS, NAMES } from '../../support/kinds.ts';
import { list } from '../../support/organizations.ts';
import { openScene, type Scene } from '../../support/scene.ts';

const CLEANED_UP = { ...list('ours'), deletionPolicy: 'RemovePrivateEndpoints' };

let scene: Scene;
let rules: readonly Rule[];
beforeAll(async () => {
  scene = await openScene({ start: false, lease: true, flags: ['--leader-elect-name=pipewright'] });
  rules = [...(await shippedRules('ClusterRole')), ...(await shippedRules('Role'))];
  await allow(scene.namespace, 'operator', rules);
});
afterAll(() => scene.end());

/** `verb resource` for each, as the audit log has them. */
function granted(): string[] {
  const all = rules.flatMap(({ resources, verbs }) =>
    resources.flatMap((resource) => verbs.map((verb) => `${verb} ${resource}`)),
  );
  return [...new Set(all)].toSorted();
}

async function used(): Promise<string[]> {
  const entries = await audit({ user: scene.user });
  expect(entries.filter(({ code }) => code === 401 || code === 403)).toEqual([]);
  const what = entries.map(({ verb, resource, subresource }) =>
    subresource === '' ? `${verb} ${resource}` : `${verb} ${resource}/${subresource}`,
  );
  return [...new Set(what)].toSorted();
}

/** Writes to an object again and again, until a status of it meets a conflict and is read. */
async function disturb(path: string, resource: string): Promise<void> {
  let nth = 0;
  const touched = async () => {
    for (const _ of Array(20)) {
      const asked = `${(nth += 1)}`;
      const annotations = { 'pipewright.dev/reconcile-requested-at': asked };
      await change(path, (stored) => ({
        ...stored,
        metadata: { ...stored.metadata, labels: { asked }, annotations },
      }));
    }
    return (await audit({ user: scene.user, verb: 'get', resource })).length;
  };
  await waitFor(touched, { what: `a conflict in ${resource}`, until: (count) => count > 0 });
}

test('the rights that the manifests give are those that a whole life uses, no more and no fewer', async () => {
  const operator = await scene.start();
  for (const kind of KINDS) {
    const { create, untilIt, pathTo } = scene.objects(kind);
    await create('one', kind === 'porg' ? CLEANED_UP : {});
    await untilIt('one', 'a first status', ({ status }) => status.observedGeneration > 0);
    await disturb(pathTo('one'), NAMES[kind].plural);
  }
  await scene.orgs.until('one', 'Applied');
  await scene.orgs.remove('one');
  await scene.orgs.untilGone('one');
  // The audit log has a watch when it is over.
  await operator.stop();
  const all = await waitFor(used, {
    what: 'the end of every watch',
    until: ({ length }) => length >= granted().length,
  });
  expect(all).toEqual(granted());
});

test('rights that are taken and given again: told of, and nothing is lost', async () => {
  const operator = await scene.start();
  await allow(scene.namespace, 'operator', await shippedRules('Role'));
  const isRefused = ({ msg, status }: { msg: string; [field: string]: unknown }): boolean =>
    msg.startsWith('cannot list or watch') && status === 403;
  await operator.waitForLine(isRefused, 'a 403');
  await scene.psets.create('meanwhile');
  await allow(scene.namespace, 'operator', rules);
  await operator.waitForLine(({ msg }) => msg === 'listing and watching again', 'its return');
  await scene.psets.until('meanwhile', 'Applied', 60_000);
  expect(await operator.stop()).toBe(0);
});
