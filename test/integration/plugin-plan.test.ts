import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readDocuments } from '../../src/cli/manifests/documents.ts';
import { audit, kubectl, newNamespace } from '../controlplane/client.ts';
import { createOrReplace } from '../support/cluster.ts';
import { type PluginRun, plugin } from '../support/plugin.ts';
import { openScene, type Scene } from '../support/scene.ts';
import { SECRET, type Spec } from '../support/scene-objects.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await openScene();
});
afterAll(() => scene.end());

const SERVICE = randomUUID();
const OWNER = randomUUID();

function manifest(kind: string, name: string, spec: Spec, labels = {}): string {
  return `${JSON.stringify({
    apiVersion: 'pipewright.dev/v1alpha1',
    kind,
    metadata: { name, namespace: scene.namespace, labels },
    spec: { organizationId: OWNER, credentialsSecretRef: { name: SECRET }, ...spec },
  })}\n`;
}

const pipe = (name: string, settings: Spec, labels = {}): string =>
  manifest('PipeSettings', name, { serviceId: SERVICE, pipeId: `pipe-${name}`, settings }, labels);
const documents = (...all: readonly string[]): string => all.join('---\n');

/** The plan by the administrator, with the address that no Lease tells here. */
function plan(input: string, ...flags: readonly string[]): Promise<PluginRun> {
  const args = ['plan', '-f', '-', '--api-url', scene.simulator.url, ...flags];
  return plugin(args, { input });
}

interface Told {
  readonly objects: readonly {
    readonly name: string;
    readonly plan: string;
    readonly says: string;
    readonly requests: readonly {
      readonly method: string;
      readonly path: string;
      readonly body?: string;
    }[];
    readonly problems: readonly {
      readonly file: string;
      readonly line: number;
      readonly message: string;
    }[];
  }[];
  readonly absent: readonly {
    readonly name: string;
    readonly says: string;
    readonly requests: readonly object[];
  }[];
}
const told = ({ stdout }: PluginRun): Told => JSON.parse(stdout) as Told;

async function apply(input: string): Promise<void> {
  const { code, stderr } = await kubectl(['apply', '-f', '-'], input);
  if (code !== 0) throw new Error(stderr);
}

/** What the API has had for this target since then, as a plan names it. */
function cameSince(count: number, part: string) {
  return scene.simulator
    .calls()
    .slice(count)
    .filter(({ path }) => path.includes(part))
    .map(({ method, path, text }) => ({ method, path, body: text }));
}
const tuple = (id: string) => ({ id, cloudProvider: 'gcp', region: 'r1' });

describe('what is planned is what the operator then sends', () => {
  test('a new pipe, an edit of it, and the same once more', async () => {
    for (const settings of [{ engine_max_threads: 4 }, { engine_max_threads: 8 }]) {
      const ran = await plan(pipe('told', settings), '-o', 'json');
      expect(ran).toMatchObject({ code: 2, stderr: '' });
      const before = scene.simulator.calls().length;
      await apply(pipe('told', settings));
      await scene.psets.until('told', 'Applied');
      expect(cameSince(before, 'pipe-told')).toEqual(told(ran).objects[0]?.requests);
    }
    const same = await plan(pipe('told', { engine_max_threads: 8 }), '-o', 'json');
    expect(same.code).toBe(0);
    expect(told(same).objects).toMatchObject([{ plan: 'unchanged', requests: [] }]);
  });

  test('an organization: first the look alone, then to the letter', async () => {
    const organizationId = randomUUID();
    scene.simulator.setOrganization(organizationId, {
      name: 'Before',
      add: [{ ...tuple('theirs'), description: '' }],
    });
    const spec = (ids: readonly string[]): string =>
      manifest('Organization', 'planned', {
        organizationId,
        name: 'After',
        privateEndpoints: ids.map(tuple),
      });
    const first = await plan(spec(['a', 'b']), '-o', 'json');
    expect(told(first).objects[0]?.requests).toHaveLength(1);
    expect(told(first).objects[0]?.says).toContain('what follows depends on that list');
    await apply(spec(['a', 'b']));
    await scene.orgs.until('planned', 'Applied');
    const then = await plan(spec(['b', 'c']), '-o', 'json');
    const before = scene.simulator.calls().length;
    await apply(spec(['b', 'c']));
    await scene.orgs.until('planned', 'Applied');
    const requests = told(then).objects[0]?.requests ?? [];
    expect(requests).toHaveLength(2);
    expect(cameSince(before, organizationId)).toEqual(requests);
  });

  test('fields that somebody else set stay, as the API server says', async () => {
    await apply(pipe('shared', { engine_max_threads: 4 }));
    await scene.psets.until('shared', 'Applied');
    const more = JSON.stringify({ spec: { settings: { object_storage_concurrency: 3 } } });
    await kubectl(['patch', 'pset', 'shared', '-n', scene.namespace, '--type=merge', '-p', more]);
    await scene.psets.until('shared', 'Applied');
    const ran = await plan(pipe('shared', { engine_max_threads: 5 }), '-o', 'json');
    const body = told(ran).objects[0]?.requests[0]?.body ?? '';
    expect(JSON.parse(body)).toEqual({ engine_max_threads: 5, object_storage_concurrency: 3 });
  });
});

test('two for one pipe, of which one holds it: nothing is sent for the other', async () => {
  await apply(pipe('holder', { engine_max_threads: 4 }));
  await scene.psets.until('holder', 'Applied');
  const rival = pipe('rival', { engine_max_threads: 9 }).replace('pipe-rival', 'pipe-holder');
  const ran = await plan(rival, '-o', 'json');
  expect(ran.code).toBe(0);
  expect(told(ran).objects).toMatchObject([{ plan: 'stopped', requests: [] }]);
  expect(told(ran).objects[0]?.says).toContain('held by PipeSettings "holder"');
});

/** A Lease as an operator writes it into a namespace; `renewed` ms ago. */
async function announce(
  namespace: string,
  name: string,
  said: {
    readonly apiUrl?: string;
    readonly planOnly?: boolean;
    readonly namespaces?: string;
    readonly selector?: string;
  },
  { holder = 'operator-1', renewed = 0 } = {},
): Promise<void> {
  const annotations = {
    'pipewright.dev/version': '0.1.0',
    'pipewright.dev/namespaces': said.namespaces ?? '',
    'pipewright.dev/selector': said.selector ?? '',
    'pipewright.dev/secret-selector': '',
    'pipewright.dev/api-url': said.apiUrl ?? scene.simulator.url,
    'pipewright.dev/plan-only': String(said.planOnly ?? false),
  };
  const renewTime = new Date(Date.now() - renewed).toISOString().replace('Z', '000Z');
  const lease = {
    metadata: { name, annotations },
    spec: { holderIdentity: holder, renewTime, leaseDurationSeconds: 15 },
  };
  await createOrReplace(`/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`, lease);
}

describe('which operator it is', () => {
  const planned = async (where: string, labels = {}): Promise<PluginRun> =>
    plugin(['plan', '-f', '-', '-o', 'json', '--operator-namespace', where], {
      input: pipe('found', { engine_max_threads: 4 }, labels),
    });

  test('one that holds its Lease, and not what another has left behind', async () => {
    const where = await newNamespace();
    await announce(where, 'left', { planOnly: true }, { holder: '' });
    await announce(where, 'dead', { planOnly: true }, { renewed: 3_600_000 });
    await announce(where, 'leads', {});
    expect(told(await planned(where)).objects).toMatchObject([{ plan: 'sends' }]);
    await announce(where, 'leads', { planOnly: true });
    const only = await planned(where);
    expect(told(only).objects).toMatchObject([{ plan: 'stopped', requests: [] }]);
    expect(told(only).objects[0]?.says).toContain('--plan-only');
  });

  test('one that works on other namespaces or labels sends nothing', async () => {
    const where = await newNamespace();
    await announce(where, 'leads', { selector: 'shard=a' });
    const other = await planned(where);
    expect(other.code).toBe(0);
    expect(told(other).objects[0]?.says).toContain('No operator works on namespace');
    expect((await planned(where, { shard: 'a' })).code).toBe(2);
    await announce(where, 'leads', { namespaces: 'elsewhere' });
    expect((await planned(where)).code).toBe(0);
  });

  test('two that say different things are not chosen from', async () => {
    const where = await newNamespace();
    await announce(where, 'one', {});
    await announce(where, 'two', { apiUrl: 'https://api.example.com' });
    const { code, stdout, stderr } = await planned(where);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain('--operator-namespace');
    await announce(where, 'two', { apiUrl: 'not a url' });
    expect((await planned(where)).code).toBe(2);
  });

  test('none is told, with what to do', async () => {
    const { code, stderr } = await planned(await newNamespace());
    expect(code).toBe(1);
    expect(stderr).toContain('give the address with --api-url');
  });
});

test('what failed is sent again at its time, and does not count as confirmed', async () => {
  await scene.secret('bad', { keyId: 'nobody', keySecret: 'knows' });
  const refused = pipe('later', { engine_max_threads: 4 }).replace(SECRET, 'bad');
  await apply(refused);
  await scene.psets.until('later', 'Unauthorized');
  const ran = await plan(refused, '-o', 'json');
  expect(ran.code).toBe(2);
  expect(told(ran).objects).toMatchObject([{ plan: 'sends', requests: [{ method: 'PUT' }] }]);
});

test('without the API server, what kubectl apply would merge is merged', async () => {
  await apply(pipe('merged', { engine_max_threads: 4, object_storage_concurrency: 2 }));
  const add = JSON.stringify({ spec: { settings: { engine_max_insert_threads: 3 } } });
  await kubectl(['patch', 'pset', 'merged', '-n', scene.namespace, '--type=merge', '-p', add]);
  const change = pipe('merged', { engine_max_threads: 5 });
  const bodies = await Promise.all(
    ['server', 'none'].map(
      async (how) =>
        told(await plan(change, '-o', 'json', `--dry-run=${how}`)).objects[0]?.requests[0]?.body,
    ),
  );
  expect(bodies[0]).toBe('{"engine_max_insert_threads":3,"engine_max_threads":5}');
  expect(bodies[1]).toBe(bodies[0]);
});

test('a rename, with --prune, sends what the new one will send once the old one is gone', async () => {
  const labels = { team: 'rename' };
  await apply(pipe('before', { engine_max_threads: 4 }, labels));
  await scene.psets.until('before', 'Applied');
  const renamed = pipe('after', { engine_max_threads: 4 }, labels).replace(
    'pipe-after',
    'pipe-before',
  );
  const ran = await plan(renamed, '--prune', '-l', 'team=rename', '-o', 'json');
  expect(told(ran).objects).toMatchObject([{ name: 'after', plan: 'sends' }]);
});

test('objects of a namespace that is not there yet are asked for once each', async () => {
  const names = Array.from({ length: 40 }, (_, index) => `unborn-${index}`);
  const namespace = `unborn-${randomUUID().slice(0, 8)}`;
  const all = names.map((name) => pipe(name, { engine_max_threads: 4 }));
  const ran = await plan(documents(...all).replaceAll(scene.namespace, namespace), '-o', 'json');
  expect(ran.code).toBe(2);
  expect(told(ran).objects).toHaveLength(40);
  const asked = await audit({ namespace, verb: 'create', resource: 'pipesettings' });
  expect(asked).toHaveLength(40);
});

test('scalars are read as kubectl reads them', async () => {
  const texts = [
    '2026-11-26',
    '1:30',
    '0o17',
    '0123',
    '08',
    'yes',
    'y',
    'on',
    '~',
    'NULL',
    '1_000',
    '0b11',
    '1e3',
    '.5',
    '0x1F',
    '190:20:30.15',
    '=',
    '+1',
    '1.0',
    '2026-03-01T12:00:00Z',
    '"0123"',
    "'yes'",
    'null',
    '-0',
    '1.',
    'tRue',
    'N',
    '0o8',
    '00',
    '1e',
    '_1',
  ];
  const data = texts.map((text, index) => `  k${index}: ${text}`).join('\n');
  const text = `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\ndata:\n${data}\n`;
  const { stdout } = await kubectl(['label', '--local', '-f', '-', 'a=b', '-o', 'json'], text);
  const theirs = (JSON.parse(stdout) as { readonly data: object }).data;
  const [ours] = readDocuments([{ path: 'f.yaml', text }]);
  expect(ours?.value).toMatchObject({ data: theirs });
  expect(Object.keys(theirs)).toHaveLength(texts.length);
});

test('with --prune, what an absence would mean', async () => {
  const organizationId = randomUUID();
  scene.simulator.setOrganization(organizationId, { name: 'x' });
  const labels = { team: 'prune' };
  const leaving = manifest(
    'Organization',
    'leaving',
    { organizationId, privateEndpoints: [tuple('mine')], deletionPolicy: 'RemovePrivateEndpoints' },
    labels,
  );
  const kept = pipe('kept', { engine_max_threads: 4 }, labels);
  await apply(documents(leaving, kept, pipe('unlisted', { engine_max_threads: 4 }, labels)));
  await scene.orgs.until('leaving', 'Applied');
  await scene.psets.until('kept', 'Applied');
  const ran = await plan(kept, '--prune', '-l', 'team=prune', '-o', 'json');
  expect(ran.code).toBe(2);
  const { absent } = told(ran);
  expect(absent.map(({ name, requests }) => [name, requests.length])).toEqual([
    ['unlisted', 0],
    ['leaving', 2],
  ]);
  expect(absent[0]?.says).toContain('the pipe keeps its settings');
  const where = await newNamespace();
  await announce(where, 'leads', { selector: 'shard=a' });
  const flags = ['--operator-namespace', where, '--prune', '-l', 'team=prune', '-o', 'json'];
  const byNobody = told(await plugin(['plan', '-f', '-', ...flags], { input: kept }));
  expect(byNobody.absent.map(({ requests }) => requests.length)).toEqual([0, 0]);
  expect(byNobody.absent[1]?.says).toContain('No operator works on namespace');
});

/** What two runs do not have alike. */
function evened(text: string): string {
  return text
    .replaceAll(scene.namespace, 'ingest')
    .replaceAll(OWNER, 'OWNER')
    .replaceAll(SERVICE, 'SERVICE')
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'UUID')
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ \(\d+s ago/g, 'TIME (3s ago');
}

test('a change of a pull request fits on one screen with its details folded', async () => {
  const names = Array.from({ length: 39 }, (_, index) => `pr-${index + 1}`);
  const organizationId = randomUUID();
  scene.simulator.setOrganization(organizationId, { name: 'x' });
  const organization = (ids: readonly string[]): string =>
    manifest('Organization', 'pr-owner', {
      organizationId,
      privateEndpoints: ids.map(tuple),
      maxPrivateEndpointRemovals: 1,
    });
  await apply(
    documents(
      ...names.map((name) => pipe(name, { engine_max_threads: 4 })),
      organization(['a', 'b', 'c']),
    ),
  );
  await scene.orgs.until('pr-owner', 'Applied');
  await Promise.all(names.map((name) => scene.psets.until(name, 'Applied')));
  const edited = names.map((name, index) => {
    if (index < 6) return pipe(name, { engine_max_threads: 5 + index });
    if (index < 8) return pipe(name, { engine_max_threads: 1_000 });
    return pipe(name, { engine_max_threads: 4 });
  });
  const change = documents(...edited, organization(['a']));
  const ran = await plan(change, '-o', 'markdown');
  expect(ran.code).toBe(1);
  expect(ran.stderr).toContain('2 of 40 objects are not valid');
  const text = evened(ran.stdout);
  const unfolded = text.replaceAll(
    /<details>[^]*?<\/details>/g,
    (part) => /<summary>.*<\/summary>/.exec(part)?.[0] ?? '',
  );
  expect(unfolded.split('\n').filter((line) => line !== '').length).toBeLessThan(40);
  await expect(text).toMatchFileSnapshot('snapshots/plugin/plan-pull-request.md');
  const asText = await plan(change);
  await expect(evened(asText.stdout)).toMatchFileSnapshot('snapshots/plugin/plan-pull-request.txt');
});
