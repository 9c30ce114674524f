import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { audit, kubectl, serviceAccountKubeconfig, waitFor } from '../controlplane/client.ts';
import { allow } from '../support/cluster.ts';
import { pathOf } from '../support/pipe-settings.ts';
import { type PluginRun, plugin } from '../support/plugin.ts';
import { openScene, type Scene } from '../support/scene.ts';
import type { Pset } from '../support/scene-objects.ts';
import { ready } from '../support/watching.ts';

const REQUESTED_AT = 'pipewright.dev/reconcile-requested-at';

const requested = ({ metadata }: Pset): string | undefined => metadata.annotations?.[REQUESTED_AT];

/** The lines of stderr or stdout. */
const lines = (text: string): string[] => text.split('\n').filter((line) => line !== '');

describe('with an operator that runs', () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await openScene({ start: 'inner' });
    const { simulator, psets, acts, orgs } = scene;
    simulator.always(
      { status: 404, error: 'NOT_FOUND: no such pipe' },
      { pathIncludes: pathOf('lost') },
    );
    await psets.create('good');
    await psets.create('lost');
    await psets.create('keyless', { credentialsSecretRef: { name: 'nowhere' } });
    await psets.create('planned', { mode: 'Plan' });
    await psets.create('asleep', { suspend: true });
    await psets.until('good', 'Applied');
    await psets.create('rival', { pipeId: 'good' });
    await orgs.create('acme', { name: 'Acme' });
    await acts.create('record', { activityId: 'late' });
    await Promise.all([
      psets.until('lost', 'NotFound'),
      psets.until('keyless', 'SecretNotFound'),
      psets.until('planned', 'Planned'),
      psets.until('asleep', 'Suspended'),
      psets.until('rival', 'TargetConflict'),
      orgs.until('acme', 'Applied'),
      acts.until('record', 'NotFound'),
    ]);
  });
  afterAll(() => scene.end());

  const run = (...args: readonly string[]): Promise<PluginRun> =>
    plugin([...args, '-n', scene.namespace]);

  test('retry of two that work: each is called once more, and both are Ready', async () => {
    const before = { puts: scene.psets.puts('good').length, looks: scene.orgs.calls().length };
    const { code, stdout, stderr } = await run('retry', 'pset/good', 'Organization/acme', '--wait');
    expect({ code, stderr: lines(stderr).toSorted() }).toEqual({
      code: 0,
      stderr: [
        'Waiting for the operator to act on 2 objects …',
        `porg/acme: Ready, Applied: ${ready(await scene.orgs.get('acme')).message}`,
        `pset/good: Ready, Applied: ${ready(await scene.psets.get('good')).message}`,
      ],
    });
    expect(lines(stdout)).toEqual([
      'pset/good: asked to try again',
      'porg/acme: asked to try again',
    ]);
    expect(scene.psets.puts('good')).toHaveLength(before.puts + 1);
    expect(scene.orgs.calls()).toHaveLength(before.looks + 1);
    const [good, acme] = await Promise.all([scene.psets.get('good'), scene.orgs.get('acme')]);
    expect(requested(good)).toBe(acme.metadata.annotations?.[REQUESTED_AT]);
    await run('retry', 'pset/good');
    expect(requested(await scene.psets.get('good'))).not.toBe(requested(good));
  });

  test('while the API has not answered, what the status says from before is no answer', async () => {
    scene.simulator.next({ hold: true }, { match: { pathIncludes: pathOf('good') } });
    const { code, stderr } = await run('retry', 'pset/good', '--wait', '--timeout', '1s');
    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('pset/good: the operator has not acted yet'),
    });
    const value = requested(await scene.psets.get('good'));
    scene.simulator.release();
    await scene.psets.untilIt(
      'good',
      'the request to be answered',
      ({ status }) => status.lastHandledReconcileAt === value,
    );
  });

  test('retry --all --wait ends whatever state an object is in, and says how each ended', async () => {
    const { code, stdout, stderr } = await run('retry', '--all', '--wait', '-o', 'json');
    expect(code).toBe(2);
    const rows = JSON.parse(stdout) as {
      name: string;
      waited: string;
      ready: { reason: string };
    }[];
    expect(
      Object.fromEntries(rows.map((row) => [row.name, `${row.waited} ${row.ready.reason}`])),
    ).toEqual({
      good: 'acted Applied',
      acme: 'acted Applied',
      lost: 'acted NotFound',
      keyless: 'acted SecretNotFound',
      planned: 'acted Planned',
      asleep: 'acted Suspended',
      rival: 'acted TargetConflict',
      record: 'acted NotFound',
    });
    expect(stderr).toContain('pset/lost: not Ready, NotFound: ');
    expect(stderr).toContain(
      'Remark: pset/asleep is suspended, so the operator makes no call for it',
    );
    expect(stderr).toContain('Remark: pset/planned is in mode Plan, so the operator sends nothing');
  });

  test('--reason chooses by the reason of Ready', async () => {
    const before = await scene.psets.list();
    const after = await run('retry', 'pset', '--all', '--reason', 'NotFound');
    expect({ code: after.code, did: lines(after.stdout) }).toEqual({
      code: 0,
      did: ['pset/lost: asked to try again'],
    });
    const changed = (await scene.psets.list()).filter(
      (one) =>
        requested(one) !==
        before
          .map((old) => (old.metadata.uid === one.metadata.uid ? requested(old) : undefined))
          .find(Boolean),
    );
    expect(changed.map(({ metadata }) => metadata.name)).toEqual(['lost']);
    const none = await run('retry', '--all', '--reason', 'RateLimited', '--wait');
    expect(none).toMatchObject({
      code: 0,
      stdout: '',
      stderr: expect.stringContaining('There is no such object'),
    });
  });

  test('suspend and resume are seen by the operator, leave nothing behind, and write once', async () => {
    const before = await scene.psets.get('good');
    const suspended = await run('suspend', 'pset/good', '--wait');
    expect({ code: suspended.code, did: lines(suspended.stdout) }).toEqual({
      code: 0,
      did: ['pset/good: suspended'],
    });
    expect(suspended.stderr).toContain('pset/good: Ready, Suspended: ');
    const { metadata, spec } = await scene.psets.get('good');
    expect(spec).toEqual({ ...before.spec, suspend: true });
    const again = await run('suspend', 'pset', 'good', 'good', '--wait');
    expect({ code: again.code, did: lines(again.stdout) }).toEqual({
      code: 0,
      did: ['pset/good: is suspended already, nothing is written'],
    });
    expect((await scene.psets.get('good')).metadata.resourceVersion).toBe(metadata.resourceVersion);
    const resumed = await run('resume', 'pset/good', '--wait');
    expect({ code: resumed.code, stderr: resumed.stderr }).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('pset/good: Ready, Applied: '),
    });
    const after = await scene.psets.get('good');
    expect(after.spec).toEqual(before.spec);
    const unneeded = await run('resume', 'pset/good', '-o', 'json');
    expect(JSON.parse(unneeded.stdout)).toEqual([
      { kind: 'PipeSettings', namespace: scene.namespace, name: 'good', result: 'unchanged' },
    ]);
    expect((await scene.psets.get('good')).metadata.generation).toBe(after.metadata.generation);
  });

  test('resume exits 2 where what follows is no success', async () => {
    await run('suspend', 'pset/lost', '--wait');
    const { code, stderr } = await run('resume', 'pset/lost', '--wait');
    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('pset/lost: not Ready, NotFound: '),
    });
  });

  test('who may set it back is named', async () => {
    const name = 'planned';
    const mark = (what: string, value: string) =>
      kubectl([what, `pset/${name}`, value, '-n', scene.namespace]);
    await mark(
      'annotate',
      'argocd.argoproj.io/tracking-id=app:pipewright.dev/PipeSettings:ns/planned',
    );
    const argo = await run('suspend', `pset/${name}`);
    expect(argo.stderr).toBe(
      'Remark: pset/planned is applied by Argo CD (argocd.argoproj.io/tracking-id), which may set spec.suspend back to what its source says; change it there too.\n',
    );
    await mark('annotate', 'argocd.argoproj.io/tracking-id-');
    await mark('label', 'kustomize.toolkit.fluxcd.io/name=apps');
    const flux = await run('resume', `pset/${name}`);
    expect(flux.stderr).toContain('is applied by Flux (kustomize.toolkit.fluxcd.io/name)');
  });

  test('one that fails does not stop the others, and is named at the end', async () => {
    const { code, stdout, stderr } = await run(
      'suspend',
      'pset/nowhere',
      'pset/keyless',
      'porg/none',
      '--wait',
    );
    expect({ code, did: lines(stdout) }).toEqual({ code: 1, did: ['pset/keyless: suspended'] });
    const at = stderr.indexOf('error: ');
    expect(stderr.slice(0, at)).toContain('pset/keyless: not Ready, Suspended: ');
    expect(lines(stderr.slice(at))).toEqual([
      'error: suspend failed for 2 objects of 3:',
      expect.stringContaining('  pset/nowhere: there is no PipeSettings "nowhere"'),
      expect.stringContaining('  porg/none: there is no Organization "none"'),
    ]);
  });

  test('without the right to write, or to watch, each object says so', async () => {
    const account = 'reader';
    const kubeconfig = await serviceAccountKubeconfig(scene.namespace, account);
    const rule = { apiGroups: ['pipewright.dev'], resources: ['pipesettings'] };
    await allow(scene.namespace, account, [{ ...rule, verbs: ['get'] }]);
    const args = ['retry', 'pset/good', 'pset/lost', '-n', scene.namespace];
    const refused = await plugin(args, { kubeconfig });
    expect({ code: refused.code, stdout: refused.stdout }).toEqual({ code: 1, stdout: '' });
    expect(lines(refused.stderr)[0]).toBe('error: retry failed for 2 objects of 2:');
    expect(refused.stderr.match(/is forbidden: .* cannot patch/g)).toHaveLength(2);
    await allow(scene.namespace, account, [{ ...rule, verbs: ['get', 'patch'] }]);
    const blind = await plugin([...args, '--wait', '-o', 'json'], { kubeconfig });
    expect(blind.code).toBe(1);
    expect(JSON.parse(blind.stdout)).toMatchObject([
      { name: 'good', result: 'requested', waited: 'failed' },
      { name: 'lost', result: 'requested', waited: 'failed' },
    ]);
    expect(blind.stderr.match(/cannot list/g)).toHaveLength(2);
  });

  test('-A with a selector finds the objects of other namespaces, and names theirs', async () => {
    await kubectl(['label', 'pset/good', `team=${scene.namespace}`, '-n', scene.namespace]);
    const { code, stdout } = await plugin([
      'retry',
      '-A',
      '-l',
      `team=${scene.namespace}`,
      '--wait',
    ]);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: `${scene.namespace}: pset/good: asked to try again\n`,
    });
  });
});

describe('without an operator', () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await openScene({ start: false });
    await Promise.all(['one', 'two', 'gone'].map((name) => scene.psets.create(name)));
  });
  afterAll(() => scene.end());

  const run = (...args: readonly string[]): Promise<PluginRun> =>
    plugin([...args, '-n', scene.namespace]);

  test('the wait ends in time, and says what to do', async () => {
    const { code, stdout, stderr } = await run(
      'retry',
      'pset/one',
      'pset/two',
      '--wait',
      '--timeout',
      '1s',
    );
    expect({ code, did: lines(stdout).length }).toEqual({ code: 2, did: 2 });
    expect(lines(stderr)).toEqual([
      'Waiting for the operator to act on 2 objects …',
      'pset/one: the operator has not acted yet',
      'pset/two: the operator has not acted yet',
      expect.stringMatching(
        /^Waited 1 s, and the operator has not acted on 2 objects\..*: kubectl pipewright doctor$/,
      ),
    ]);
  });

  test('one that is deleted meanwhile ends its wait; the others end when an operator comes', async () => {
    const account = 'person';
    const kubeconfig = await serviceAccountKubeconfig(scene.namespace, account);
    const verbs = ['get', 'list', 'watch', 'patch'];
    const rule = { apiGroups: ['pipewright.dev'], resources: ['pipesettings'], verbs };
    await allow(scene.namespace, account, [rule]);
    const names = ['pset/one', 'pset/two', 'pset/gone'];
    const args = ['retry', ...names, '-n', scene.namespace, '--wait', '-o', 'json'];
    const running = plugin(args, { kubeconfig });
    const user = `system:serviceaccount:${scene.namespace}:${account}`;
    // What happens after the list comes by the watch, which goes on from there.
    await waitFor(() => audit({ user, verb: 'list' }), {
      what: 'the objects to be listed',
      until: ({ length }) => length > 0,
    });
    expect(new Set((await scene.psets.list()).map(requested))).toEqual(
      new Set([expect.stringMatching(/^\d{4}-/)]),
    );
    await scene.psets.remove('gone');
    await scene.startInner();
    const { code, stdout } = await running;
    expect({ code, rows: JSON.parse(stdout) }).toMatchObject({
      code: 2,
      rows: [
        { name: 'one', waited: 'acted', ready: { status: 'True' } },
        { name: 'two', waited: 'acted', ready: { status: 'True' } },
        { name: 'gone', waited: 'deleted' },
      ],
    });
    expect(scene.psets.puts('one')).toHaveLength(1);
    const watches = await waitFor(() => audit({ user, verb: 'watch' }), {
      what: 'the end of the watch to be on record',
      until: ({ length }) => length > 0,
    });
    const lists = await audit({ user, verb: 'list' });
    expect({ lists: lists.length, watches: watches.length }).toEqual({ lists: 1, watches: 1 });
  });
});
