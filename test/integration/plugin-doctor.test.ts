import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { definitions } from '../../src/kinds/definitions.ts';
import { serviceAccountKubeconfig } from '../controlplane/client.ts';
import { allow, asAdmin, operatorRules } from '../support/cluster.ts';
import { type RunningOperator, startOperator } from '../support/operator.ts';
import { plugin } from '../support/plugin.ts';
import { openScene, type Scene } from '../support/scene.ts';

/**
 * What does not need an installation: what doctor says where it may not look, and that it calls
 * nothing fine that it has not seen.
 */
const LEASES = {
  apiGroups: ['coordination.k8s.io'],
  resources: ['leases'],
  verbs: ['get', 'list', 'watch', 'create', 'update'],
};

let scene: Scene;
let operator: RunningOperator;
beforeAll(async () => {
  scene = await openScene({ start: false });
  await allow(scene.namespace, 'operator', [...(await operatorRules()), LEASES]);
  const lease = ['--leader-elect', '--leader-elect-namespace', scene.namespace];
  operator = await startOperator({
    kubeconfig: scene.kubeconfig,
    apiUrl: scene.simulator.url,
    flags: ['--namespaces', scene.namespace, '--api-rate', '0', ...lease],
  });
  await scene.psets.create('orders');
  await scene.psets.until('orders', 'Applied');
});
afterAll(async () => {
  await operator.stop();
  await scene.end();
});

function doctor(kubeconfig?: string, ...more: readonly string[]) {
  const where = ['-n', scene.namespace, '--operator-namespace', scene.namespace];
  return plugin(['doctor', ...where, ...more], kubeconfig === undefined ? {} : { kubeconfig });
}

/** A user who may do only this. */
async function userWith(name: string, resources: readonly string[], group: string) {
  const kubeconfig = await serviceAccountKubeconfig(scene.namespace, name);
  const verbs = ['get', 'list'];
  await allow(scene.namespace, name, [{ apiGroups: [group], resources, verbs }]);
  return kubeconfig;
}

test('an operator without a Deployment leads, and its rights are not called fine', async () => {
  const { code, stdout, stderr } = await doctor();
  expect(stdout).toBe(
    [
      'Not checked: rights',
      `  Too little is known of the operator in namespace ${scene.namespace}: it has no Deployment that could be found.`,
      '',
      'Fine: crds, the CRDs are those of this plugin',
      'Fine: operator, an operator is there',
      'Fine: leader, it leads',
      'Fine: version, it has the version of this plugin',
      'Fine: namespaces, it watches the namespaces of the objects',
      'Fine: selector, it works on objects with their labels',
      'Fine: secrets, every Secret that is referred to can be used',
      'Fine: keys, the API takes the keys',
      'Fine: api, the API answers',
      'Fine: objects, no object waits for a person',
      '',
      'Nothing wrong was found.',
      '',
    ].join('\n'),
  );
  expect(stderr).toContain('error: 1 check could not be made');
  expect(code).toBe(1);
});

test('with its Deployment everything is looked at, and all is well', async () => {
  const labels = { 'app.kubernetes.io/name': 'pipewright' };
  const container = {
    name: 'pipewright',
    image: 'pipewright',
    env: [{ name: 'PIPEWRIGHT_NAMESPACES', value: scene.namespace }],
  };
  await asAdmin('POST', `/apis/apps/v1/namespaces/${scene.namespace}/deployments`, {
    metadata: { name: 'any', labels },
    spec: {
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { serviceAccountName: 'operator', containers: [container] },
      },
    },
  });
  const { code, stdout } = await doctor(undefined, '-o', 'json');
  expect(JSON.parse(stdout)).toMatchObject({ findings: [], notChecked: [] });
  expect(code).toBe(0);
});

test('who may look at nothing is told so of every check, and nothing is called fine', async () => {
  const kubeconfig = await serviceAccountKubeconfig(scene.namespace, 'nobody');
  const { code, stdout, stderr } = await doctor(kubeconfig);
  expect(stdout).not.toContain('Fine');
  for (const check of ['crds', 'operator', 'leader', 'version', 'rights', 'secrets', 'keys', 'api'])
    expect(stdout).toMatch(new RegExp(`^Not checked: .*\\b${check}\\b`, 'm'));
  expect(stderr).toMatch(/^error: \d+ checks could not be made/m);
  expect(code).toBe(1);
});

test('who may see objects and no Secrets is told what the objects say', async () => {
  await scene.psets.create('lost', { credentialsSecretRef: { name: 'nowhere' } });
  await scene.psets.until('lost', 'SecretNotFound');
  const plurals = definitions.map(({ type }) => type.plural);
  const kubeconfig = await userWith('viewer', plurals, 'pipewright.dev');
  const { code, stdout } = await doctor(kubeconfig, '-o', 'json');
  const { findings, checked, notChecked } = JSON.parse(stdout) as {
    findings: { check: string; object: string }[];
    checked: string[];
    notChecked: { check: string; says: string }[];
  };
  expect(code).toBe(2);
  expect(findings).toMatchObject([
    { check: 'secrets', object: `secret/nowhere in namespace ${scene.namespace}` },
  ]);
  expect(checked).not.toContain('secrets');
  const why = notChecked.find(({ check }) => check === 'secrets')?.says;
  expect(why).toContain('could not be read');
});

test('a cluster that cannot be reached is one error, and so is a flag that is wrong', async () => {
  const stale = { KUBECONFIG: '/dev/null' };
  const gone = await plugin(['doctor', '-A'], { env: stale });
  expect(gone.code).toBe(1);
  expect(gone.stdout).toBe('');
  expect(gone.stderr.trimEnd().split('\n')).toHaveLength(1);
  const wrong = await doctor(undefined, '-o', 'yaml');
  expect(wrong.code).toBe(1);
  expect(wrong.stderr).toContain('text, json');
});

test('the CRDs are printed as the files have them', async () => {
  const { code, stdout } = await plugin(['crds']);
  expect(code).toBe(0);
  const printed = parseAllDocuments(stdout).map((document) => document.toJS() as unknown);
  const stored = definitions.map(async ({ type }) => {
    const file = new URL(`../../crds/${type.plural}.yaml`, import.meta.url);
    return parse(await readFile(file, 'utf8')) as unknown;
  });
  expect(printed).toEqual(await Promise.all(stored));
});
