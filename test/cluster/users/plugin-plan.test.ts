import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Call } from '../../simulator/types.ts';
import { GOOD, type Kind, manifestOf } from '../../support/kinds.ts';
import { applyYaml } from '../../support/kubectl.ts';
import { endpoint, list } from '../../support/organizations.ts';
import { plugin } from '../../support/plugin.ts';
import { openScene, type Scene } from '../../support/scene.ts';
import type { Spec } from '../../support/scene-objects.ts';

/** `kubectl pipewright plan`: what it says is what the operator then sends. */

let scene: Scene;
beforeAll(async () => {
  scene = await openScene({ holds: { name: 'Before', add: [endpoint('theirs')] } });
});
afterAll(() => scene.end());

const manifest = (kind: Kind, name: string, spec: Spec): string =>
  `${JSON.stringify(manifestOf(kind, name, { ...GOOD[kind], ...spec }))}\n`;
const pset = (name: string, threads: number): string =>
  manifest('pset', name, { pipeId: name, settings: { engine_max_threads: threads } });
const porg = (spec: Spec): string => manifest('porg', 'acme', spec);

const SERVER = ['--dry-run=server'];
const plan = (input: string, ...flags: readonly string[]) =>
  plugin(['plan', '-f', '-', '-n', scene.namespace, ...flags], { input });

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
