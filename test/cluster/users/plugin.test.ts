import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { kubectl } from '../../controlplane/client.ts';
import { applyYaml } from '../../support/kubectl.ts';
import { endpoint, list } from '../../support/organizations.ts';
import { pathOf } from '../../support/pipe-settings.ts';
import { plugin } from '../../support/plugin.ts';
import { openScene, type Scene } from '../../support/scene.ts';
import { ready } from '../../support/watching.ts';

/** `kubectl pipewright` status, export, retry, suspend and resume, on objects in every state. */

const LEAVING = crypto.randomUUID();
const PLAIN = crypto.randomUUID();

let scene: Scene;
beforeAll(async () => {
  scene = await openScene({ holds: { name: 'Acme', add: [endpoint('theirs')] } });
  const { simulator, psets, orgs, acts } = scene;
  simulator.setOrganization(LEAVING, {});
  simulator.setOrganization(PLAIN, { name: 'Plain', add: [endpoint('theirs')] });
  simulator.always({ status: 400, error: 'too big' }, { pathIncludes: pathOf('refused') });
  acts.record('record');
  await psets.create('good');
  await psets.create('refused');
  await psets.create('planned', { mode: 'Plan' });
  await orgs.create('acme', { name: 'Acme Inc', ...list('ours') });
  const removing = { deletionPolicy: 'RemovePrivateEndpoints' };
  await orgs.create('leaving', { organizationId: LEAVING, ...list('last'), ...removing });
  await orgs.create('plain', { organizationId: PLAIN, name: 'Plain' });
  await acts.create('record');
  await psets.until('good', 'Applied');
  await psets.create('rival', { pipeId: 'good' });
  await orgs.until('leaving', 'Applied');
  simulator.always({ status: 503 }, { pathIncludes: LEAVING });
  await orgs.remove('leaving');
  await Promise.all([
    psets.until('refused', 'Rejected'),
    psets.until('planned', 'Planned'),
    psets.until('rival', 'TargetConflict'),
    orgs.until('acme', 'Applied'),
    orgs.until('plain', 'Applied'),
    orgs.until('leaving', 'Unavailable'),
    acts.until('record', 'Fetched'),
  ]);
});
afterAll(() => scene.end());

const run = (...args: readonly string[]) => plugin([...args, '-n', scene.namespace]);
/** What a command that has nothing to complain of printed. */
async function printed(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await run(...args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
}
const messageOf = async (name: string): Promise<string> =>
  ready(await scene.psets.get(name)).message;

describe('status', () => {
  test('shows what needs a person first, and --check fails for it', async () => {
    const { code, stdout } = await run('status', '--check');
    expect(code).toBe(2);
    const rows = stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/ {3,}/));
    expect(rows.map((cells) => cells.slice(0, 3).join(' '))).toEqual([
      'OBJECT STATE REASON',
      'pset/refused Stalled Rejected',
      'pset/rival Not ready TargetConflict',
      'porg/leaving Deleting Unavailable',
      'pset/planned Planned Planned',
      'pact/record Ready Fetched',
      'porg/acme Ready Applied',
      'porg/plain Ready Applied',
      'pset/good Ready Applied',
      '8 objects: 1 Stalled, 1 Not ready, 1 Deleting, 1 Planned, 4 Ready',
    ]);
    expect(rows[1]?.at(-1)).toBe(await messageOf('refused'));
    expect(await printed('status')).toContain('pset/refused');
    expect(await printed('status', 'pset/good', '--check')).toContain('Ready (Applied)');
  });

  test.each([
    ['pset/good', 'Ready (Applied)', /^ {2}Generation 1, .*"management-api"\.$/m],
    ['porg/acme', 'Ready (Applied)', /^ {2}ours \(gcp\/ap-northeast-1\) Present: /m],
    ['pset/refused', 'Stalled (Rejected)', /HTTP 400.*\n.*too big/],
    ['pset/rival', 'Not ready (TargetConflict)', /^ {2}.*owned by PipeSettings "good"/m],
    ['pset/planned', 'Planned (Planned)', /^ {2}PUT .*\/planned\/.* \{"engine_max_threads":8\}$/m],
    ['porg/leaving', 'Deleting (Unavailable)', /HTTP 503/],
  ])('tells the story of %s: %s', async (name, state, tells) => {
    const story = await printed('status', name);
    expect(story.split('\n')[0]).toContain(`: ${state}.`);
    expect(story).toMatch(tells);
  });
});

test('export prints what apply takes, which sends one confirmation and changes nothing', async () => {
  const { psets, orgs, simulator } = scene;
  const organization = structuredClone(simulator.organization(PLAIN));
  const { status } = await psets.get('good');
  const pipe = await printed('export', 'pset/good');
  expect(pipe).toMatch(/^# Completed from the response of /);
  const exported = await printed('export', 'porg/plain');
  expect(exported).toMatch(/^ {2}privateEndpoints:\n {2}- id: theirs$/m);
  const before = { puts: psets.puts('good').length, patches: orgs.patches(PLAIN).length };
  await applyYaml(`${pipe}---\n${exported}`, scene.namespace);
  await psets.until('good', 'Applied');
  await orgs.until('plain', 'Applied');
  expect(psets.puts('good').length).toBe(before.puts + 1);
  expect(orgs.said(PLAIN).slice(before.patches)).toEqual(['look']);
  expect((await psets.get('good')).status.settings).toEqual(status.settings);
  expect(simulator.organization(PLAIN)).toEqual(organization);
});

describe('retry, suspend and resume', () => {
  test('retry --wait has each called once more, and says what came out', async () => {
    const { psets, orgs, namespace } = scene;
    const calls = () => [psets.puts('good').length, orgs.calls().length];
    const before = calls();
    const lines = await printed('retry', 'pset/good', 'Organization/acme', '--wait');
    expect(lines.trimEnd().split('\n').toSorted()).toEqual([
      `porg/acme in ${namespace}: Ready (Applied). ${ready(await orgs.get('acme')).message}`,
      `pset/good in ${namespace}: Ready (Applied). ${await messageOf('good')}`,
    ]);
    expect(calls()).toEqual(before.map((count) => count + 1));
  });

  test('retry --wait by label, in all namespaces, ends in whatever state an object is', async () => {
    const { namespace } = scene;
    await kubectl(['label', 'pset,porg,pact', '--all', `team=${namespace}`, '-n', namespace]);
    const args = ['retry', '-A', '-l', `team=${namespace}`, '--wait'];
    const { code, stdout, stderr } = await plugin(args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const states = stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.replace(/\. .*/, ''));
    expect(states.toSorted()).toEqual([
      `pact/record in ${namespace}: Ready (Fetched)`,
      `porg/acme in ${namespace}: Ready (Applied)`,
      `porg/leaving in ${namespace}: Deleting (Unavailable)`,
      `porg/plain in ${namespace}: Ready (Applied)`,
      `pset/good in ${namespace}: Ready (Applied)`,
      `pset/planned in ${namespace}: Planned (Planned)`,
      `pset/refused in ${namespace}: Stalled (Rejected)`,
      `pset/rival in ${namespace}: Not ready (TargetConflict)`,
    ]);
  });

  test('suspend stops the calls, a retry is warned of it, and resume leaves nothing behind', async () => {
    const { psets } = scene;
    const { spec } = await psets.get('good');
    expect(await printed('suspend', 'pset/good', '--wait')).toContain(': Suspended (Suspended). ');
    expect((await psets.get('good')).spec).toEqual({ ...spec, suspend: true });
    const puts = psets.puts('good').length;
    expect(await run('retry', 'pset/good', '--wait')).toMatchObject({
      code: 0,
      stderr: 'warning: pset/good is suspended; resume it first\n',
    });
    expect(psets.puts('good')).toHaveLength(puts);
    expect(await printed('resume', 'pset/good', '--wait')).toContain(': Ready (Applied). ');
    expect((await psets.get('good')).spec).toEqual(spec);
  });
});
