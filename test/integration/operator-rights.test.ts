import { expect, onTestFinished, test } from 'vitest';
import { audit, waitFor } from '../controlplane/client.ts';
import { allow, change, leaderRules, operatorRules, type Rule } from '../support/cluster.ts';
import { startOperator } from '../support/operator.ts';
import { list } from '../support/organizations.ts';
import { openScene, type Scene } from '../support/scene.ts';

/** `verb resource` for each, as the audit log has them. */
function granted(rules: readonly Rule[]): string[] {
  return rules.flatMap(({ resources, verbs }) =>
    resources.flatMap((resource) => verbs.map((verb) => `${verb} ${resource}`)),
  );
}

async function used(scene: Scene): Promise<string[]> {
  const entries = await audit({ user: scene.user });
  expect(entries.filter(({ code }) => code === 401 || code === 403)).toEqual([]);
  const what = entries.map(({ verb, resource, subresource }) =>
    subresource === '' ? `${verb} ${resource}` : `${verb} ${resource}/${subresource}`,
  );
  return [...new Set(what)].toSorted();
}

/** Writes to an object again and again, until a status of it meets a conflict and is read. */
async function disturb(scene: Scene, path: string, resource: string): Promise<void> {
  let nth = 0;
  const touched = async () => {
    for (const _ of Array(20)) {
      const asked = `${(nth += 1)}`;
      await change(path, (stored) => ({
        ...stored,
        metadata: {
          ...stored.metadata,
          labels: { asked },
          annotations: { 'pipewright.dev/reconcile-requested-at': asked },
        },
      }));
    }
    return (await audit({ user: scene.user, verb: 'get', resource })).length;
  };
  await waitFor(touched, { what: `a conflict in ${resource}`, until: (count) => count > 0 });
}

test('the rights that the manifests give are those that a whole life uses, no more and no fewer', {
  timeout: 120_000,
}, async () => {
  const scene = await openScene({ start: false });
  onTestFinished(() => scene.end());
  const rules = [...(await operatorRules()), ...(await leaderRules())];
  await allow(scene.namespace, 'operator', rules);
  const { psets, orgs, acts } = scene;
  const lease = ['--leader-elect-name=pipewright', `--leader-elect-namespace=${scene.namespace}`];
  const operator = await startOperator({
    kubeconfig: scene.kubeconfig,
    apiUrl: scene.simulator.url,
    flags: [`--namespaces=${scene.namespace}`, '--api-rate=0', '--leader-elect', ...lease],
  });
  onTestFinished(() => operator.kill());
  await psets.create('pipe');
  await psets.until('pipe', 'Applied');
  await orgs.create('acme', { ...list('ours'), deletionPolicy: 'RemovePrivateEndpoints' });
  await orgs.until('acme', 'Applied');
  acts.record('record');
  await acts.create('record');
  await acts.until('record', 'Fetched');
  await disturb(scene, psets.pathTo('pipe'), 'pipesettings');
  await disturb(scene, orgs.pathTo('acme'), 'organizations');
  await disturb(scene, acts.pathTo('record'), 'activities');
  await orgs.remove('acme');
  await orgs.untilGone('acme');
  const expected = [...new Set(granted(rules))].toSorted();
  // The audit log has a watch when it is over.
  await operator.stop();
  const all = await waitFor(() => used(scene), {
    what: 'the end of every watch',
    until: ({ length }) => length >= expected.length,
  });
  expect(all).toEqual(expected);
});
