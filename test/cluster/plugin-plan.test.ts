import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { applyYaml, kubectl } from '../controlplane/client.ts';
import type { Call } from '../simulator/types.ts';
import { endpoint, list } from '../support/organizations.ts';
import { pathOf } from '../support/pipe-settings.ts';
import { type PluginRun, plugin } from '../support/plugin.ts';
import { openScene, type Scene } from '../support/scene.ts';
import { ORGANIZATION, SECRET, SERVICE, type Spec } from '../support/scene-objects.ts';

/** `kubectl pipewright plan`: what it says is what the operator then sends. */

let scene: Scene;
beforeAll(async () => {
  scene = await openScene({ holds: { name: 'Before', add: [endpoint('theirs')] } });
});
afterAll(() => scene.end());

function manifest(kind: string, name: string, spec: Spec): string {
  return `${JSON.stringify({
    apiVersion: 'pipewright.dev/v1alpha1',
    kind,
    metadata: { name, namespace: scene.namespace },
    spec: { organizationId: ORGANIZATION, credentialsSecretRef: { name: SECRET }, ...spec },
  })}\n`;
}
function pset(name: string, threads: number, more: Spec = {}): string {
  const settings = { engine_max_threads: threads };
  return manifest('PipeSettings', name, { serviceId: SERVICE, pipeId: name, settings, ...more });
}
const porg = (spec: Spec): string => manifest('Organization', 'acme', spec);
const inYaml = (json: string): string => stringify(JSON.parse(json));

const SERVER = ['--dry-run=server'];
const plan = (input: string, ...flags: readonly string[]): Promise<PluginRun> =>
  plugin(['plan', '-f', '-', ...flags], { input });

interface Planned {
  readonly does: string;
  readonly says: string;
  readonly requests: readonly object[];
}
/** The plan of one object against the live one, and its exit code. */
async function planOf(input: string): Promise<Planned & { readonly code: number }> {
  const { code, stdout, stderr } = await plan(input, ...SERVER, '-o', 'json');
  expect(stderr).toBe('');
  const { objects } = JSON.parse(stdout) as { readonly objects: readonly [Planned] };
  return { ...objects[0], code };
}
const apply = (text: string): Promise<string> => applyYaml(text, scene.namespace);
/** Calls as a plan names them. */
const sent = (calls: readonly Call[]) =>
  calls.map(({ method, path, text }) => ({ method, path, body: text }));

describe('what is planned is what the operator then sends', () => {
  test('a new PipeSettings, an edit of it, and the same once more', async () => {
    for (const [count, threads] of [4, 8].entries()) {
      const { code, requests } = await planOf(pset('planned', threads));
      expect([code, requests.length]).toEqual([2, 1]);
      await apply(pset('planned', threads));
      await scene.psets.until('planned', 'Applied');
      expect(sent(scene.psets.puts('planned').slice(count))).toEqual(requests);
    }
    expect(await planOf(pset('planned', 8))).toMatchObject({ code: 0, does: 'nothing' });
    const { stdout } = await plan(pset('planned', 9), ...SERVER);
    expect(stdout).toMatch(
      /Changes, compared with the response of .* request .*\):\n {4}engine_max_threads: 8 → 9\n/,
    );
  });

  test('an Organization: first the look alone, then the look and the change', async () => {
    const first = porg({ name: 'After', ...list('a', 'b') });
    const unseen = await planOf(first);
    expect([unseen.code, unseen.requests.length]).toEqual([2, 1]);
    expect(unseen.says).toContain('what follows depends on');
    await apply(first);
    await scene.orgs.until('acme', 'Applied');
    expect(sent(scene.orgs.calls()).slice(0, 1)).toEqual(unseen.requests);
    const then = porg({ name: 'Later', ...list('b', 'c') });
    const { code, requests } = await planOf(then);
    expect([code, requests.length]).toEqual([2, 3]);
    const count = scene.orgs.calls().length;
    await apply(then);
    await scene.orgs.until('acme', 'Applied');
    expect(sent(scene.orgs.calls().slice(count))).toEqual(requests);
    expect(scene.orgs.ids()).toEqual(['theirs', 'b', 'c']);
  });
});

describe('against live objects', () => {
  beforeAll(async () => {
    const { psets, simulator } = scene;
    simulator.always({ status: 400, error: 'too big' }, { pathIncludes: pathOf('refused') });
    await psets.create('refused');
    await psets.create('draft', { mode: 'Plan' });
    await psets.create('holder');
    await psets.until('holder', 'Applied');
    await psets.create('rival', { pipeId: 'holder' });
    await psets.create('leaving');
    const held = JSON.stringify({ metadata: { finalizers: ['tests.example.com/hold'] } });
    await kubectl(['patch', 'pset/leaving', '-n', scene.namespace, '--type=merge', '-p', held]);
    await psets.until('refused', 'Rejected');
    await psets.until('draft', 'Planned');
    await psets.until('rival', 'TargetConflict');
    await psets.remove('leaving');
  });

  test.each([
    ['refused', {}, 2, 'send', /^One PUT/],
    ['draft', { mode: 'Plan' }, 0, 'withheld', /spec\.mode is Plan/],
    ['rival', { pipeId: 'holder' }, 0, 'withheld', /another object owns its target/],
    ['leaving', {}, 0, 'nothing', /is being deleted/],
  ])('an edit of the one that is %s', async (name, more, code, does, says) => {
    const planned = await planOf(pset(name, 9, more));
    expect(planned).toMatchObject({ code, does, says: expect.stringMatching(says) });
  });

  test('what the API server refuses is told with the line, and the others are planned', async () => {
    const files = `---\n${pset('holder', 9)}---\n${inYaml(pset('refused', 8, { pipeId: 'x' }))}`;
    const { code, stdout, stderr } = await plan(files, ...SERVER);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^error: not valid: \(stdin\):14: the API server .* immutable; .*\n$/);
    expect(stdout).toContain('/refused, (stdin):4\n  not valid: (stdin):14: ');
    expect(stdout).toContain('2 objects: 1 is not valid, 1 sends something; 1 request in all.\n');
  });
});
