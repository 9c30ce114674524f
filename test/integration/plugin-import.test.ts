import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { applyYaml, kubectl } from '../controlplane/client.ts';
import type { PrivateEndpoint } from '../simulator/organization-types.ts';
import { leaks, spellings } from '../support/canary.ts';
import { endpoint, ledgerOf, type Org } from '../support/organizations.ts';
import { type PluginRun, plugin } from '../support/plugin.ts';
import { openScene, type Scene } from '../support/scene.ts';
import { ORGANIZATION, SECRET, SERVICE } from '../support/scene-objects.ts';
import { ready } from '../support/watching.ts';

let scene: Scene;
/** Every text that the plugin has printed, for the search of the key. */
const printed: Record<string, string> = {};
beforeAll(async () => {
  scene = await openScene({ start: 'inner' });
});
afterAll(() => scene.end());

async function run(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const ran: PluginRun = await plugin(['import', ...args], { env });
  printed[`${args.join(' ')} #${Object.keys(printed).length}`] = ran.stdout + ran.stderr;
  return ran;
}

const importOrganization = (id: string, ...more: readonly string[]): Promise<PluginRun> =>
  run([
    'organization',
    id,
    '--api-url',
    scene.simulator.url,
    '--secret',
    SECRET,
    '-n',
    scene.namespace,
    ...more,
  ]);

const apply = (text: string): Promise<string> => applyYaml(text, scene.namespace);

interface Manifest {
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly spec: Readonly<Record<string, unknown>> & {
    readonly privateEndpoints?: readonly PrivateEndpoint[];
  };
}

/** What somebody else has made in a console: descriptions or none, capitals, ids like numbers. */
const THEIRS: readonly PrivateEndpoint[] = Array.from({ length: 30 }, (_, at) => ({
  ...endpoint(['psc', 'PSC', '00', 'vpce'][at % 4] + (at % 4 === 2 ? `${at}` : `-${at}`)),
  region: at % 3 === 0 ? 'us-EAST1' : 'ap-northeast-1',
  ...(at % 5 === 0
    ? {}
    : { description: ['', 'yes', 'team: "data" #1', 'VPC – 日本', 'a\nb'][at % 5] ?? '' }),
}));

describe('an organization with 30 endpoints of somebody else', () => {
  let manifest: Manifest;

  test('is printed after one PATCH that changes nothing', async () => {
    scene.simulator.setOrganization(ORGANIZATION, { name: 'Acme Data', add: [...THEIRS] });
    const before = structuredClone(scene.orgs.held());
    const { code, stdout, stderr } = await importOrganization(ORGANIZATION);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(scene.orgs.calls().map(({ text }) => text)).toEqual([
      '{"privateEndpoints":{"add":[],"remove":[]}}',
    ]);
    expect(scene.orgs.held()).toEqual(before);
    const url = `${scene.simulator.url}/v1/organizations/${ORGANIZATION}`;
    expect(stderr.split('\n')).toEqual([
      `An organization can only be seen in the reply to a PATCH. Sending a PATCH that changes nothing, once: {"privateEndpoints":{"add":[],"remove":[]}} to ${url}, with the API key from the Secret "${SECRET}" in namespace "${scene.namespace}".`,
      `The API answered (request ${scene.orgs.calls()[0]?.requestId}): 30 private endpoints in the manifest.`,
      '',
    ]);
    manifest = parse(stdout) as Manifest;
    expect(manifest).toMatchObject({
      metadata: { name: 'acme-data', namespace: scene.namespace },
      spec: {
        organizationId: ORGANIZATION,
        credentialsSecretRef: { name: SECRET },
        name: 'Acme Data',
        adoptPrivateEndpoints: true,
      },
    });
    await apply(stdout);
  });

  test('applied, it changes nothing at the API, and all of them are adopted', async () => {
    const org = await scene.orgs.until('acme-data', 'Applied');
    expect(ledgerOf(org)).toEqual(THEIRS.map(({ id }) => `${id} Adopted Present`).toSorted());
    expect(org.status['differences']).toBeUndefined();
    const said = scene.orgs.said();
    expect(said.length).toBeGreaterThan(1);
    expect(new Set(said)).toEqual(new Set(['look']));
    expect(scene.orgs.held()).toMatchObject({ name: 'Acme Data', privateEndpoints: THEIRS });
  });

  test('one that is taken off the list is removed, and nothing else', async () => {
    const [, gone, ...kept] = manifest.spec.privateEndpoints ?? [];
    const [first] = THEIRS;
    const shorter = { ...manifest, spec: { ...manifest.spec, privateEndpoints: [first, ...kept] } };
    await apply(stringify(shorter, { defaultStringType: 'QUOTE_DOUBLE' }));
    await scene.orgs.until('acme-data', 'Applied');
    expect(scene.orgs.ids()).toEqual(THEIRS.map(({ id }) => id).filter((id) => id !== gone?.id));
    expect(scene.orgs.said().filter((one) => one !== 'look')).toEqual([`-${gone?.id}`]);
  });
});

describe('an organization that cannot be imported', () => {
  const NOBODYS = '11111111-2222-4333-8444-555555555555';

  test('with a wrong key: the words of the API, the request id, and no key', async () => {
    const wrong = { id: 'key-canary-9f3c', secret: 'canary-of-a-secret-71b2' };
    scene.simulator.setKey(wrong.id, wrong.secret, { disabled: true });
    const ran = await run(['organization', NOBODYS, '--api-url', scene.simulator.url], {
      PIPEWRIGHT_KEY_ID: wrong.id,
      PIPEWRIGHT_KEY_SECRET: wrong.secret,
    });
    const [call] = scene.simulator.calls({ keyId: wrong.id });
    expect(ran).toMatchObject({ code: 1, stdout: '' });
    expect(ran.stderr).toContain('with the API key from the environment (PIPEWRIGHT_KEY_ID and');
    expect(ran.stderr).toContain(`error: The API refused the key (HTTP 401): `);
    expect(ran.stderr).toContain(`(request ${call?.requestId}). Put a valid, enabled API key into`);
    expect(scene.simulator.callCount({ keyId: wrong.id })).toBe(1);
    expect(leaks({ ran: ran.stdout + ran.stderr }, spellings(wrong.id, wrong.secret))).toEqual([]);
  });

  test.each([
    ['bad-request', 400, 'BAD_REQUEST'],
    ['unprocessable', 422, 'UNPROCESSABLE_ENTITY'],
  ] as const)(
    'where the API refuses the look (%s): what to do, and no other request',
    async (emptyLists, status, code) => {
      scene.simulator.next({ play: { organization: { emptyLists } } });
      const before = scene.simulator.callCount();
      const { stdout, stderr, ...ran } = await importOrganization(NOBODYS);
      expect({ ...ran, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toContain(`(HTTP ${status}): ${code}: no fields to update`);
      expect(stderr).toContain('run this again with --organization-name NAME');
      expect(scene.simulator.callCount()).toBe(before + 1);
    },
  );

  test('with --organization-name, that is sent in its place, and said to be more than a look', async () => {
    scene.simulator.setOrganization(NOBODYS, { name: 'Present', add: [endpoint('psc-1')] });
    const { code, stdout, stderr } = await importOrganization(
      NOBODYS,
      '--organization-name',
      'Present',
    );
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(stderr).toContain('which renames the organization if it has another one');
    expect(scene.orgs.calls(NOBODYS).at(-1)?.text).toBe('{"name":"Present"}');
    expect(parse(stdout)).toMatchObject({ spec: { privateEndpoints: [endpoint('psc-1')] } });
  });

  test('a reply without a list is not taken for an empty one', async () => {
    scene.simulator.next({ play: { organization: { list: 'absent' } } });
    const { code, stdout, stderr } = await importOrganization(NOBODYS);
    expect(code).toBe(2);
    expect(parse(stdout)).toMatchObject({ spec: { name: 'Present' } });
    expect(stdout).not.toMatch(/^ *(privateEndpoints|adoptPrivateEndpoints):/m);
    expect(stderr).toContain('That does not mean that there are none');
  });

  test('with 101 endpoints nothing is printed', async () => {
    const many = crypto.randomUUID();
    scene.simulator.setOrganization(many, {
      add: Array.from({ length: 101 }, (_, at) => endpoint(`psc-${at}`)),
    });
    const { code, stdout, stderr } = await importOrganization(many);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('has 101 private endpoints and an Organization lists at most 100');
  });

  test.concurrent.each([
    ['nowhere', 'the Secret "nowhere" does not exist in namespace'],
    ['half', 'The Secret "half" cannot be used: it has no key "keySecret" (its keys: "keyId")'],
  ])('with the Secret %s: one sentence, and no call', async (secret, says) => {
    await scene.secret('half', { keyId: 'canary-id' });
    const before = scene.simulator.callCount();
    const address = ['--api-url', scene.simulator.url, '-n', scene.namespace];
    const ran = await run(['organization', NOBODYS, '--secret', secret, ...address]);
    expect(ran).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(says) });
    expect(ran.stderr).not.toContain('canary');
    expect(scene.simulator.callCount()).toBe(before);
  });
});

describe('a pipe', () => {
  test('is printed as a skeleton that applies once a line is uncommented, and is then planned', async () => {
    const before = scene.simulator.callCount();
    const ids = [ORGANIZATION, SERVICE, '0123'];
    const { code, stdout } = await run(['pipe', ...ids, '-n', scene.namespace]);
    expect(code).toBe(0);
    await expect(apply(stdout)).rejects.toThrow('spec.settings');
    const lines = stdout.match(/^ {4}# [a-z_]+: (\d+|true|false)$/gm) ?? [];
    expect(lines).toHaveLength(12);
    const each = lines.map((line, at) =>
      stdout
        .replace(line, line.replace('# ', ''))
        .replace('name: "0123"', `name: "pipe-${at}"`)
        .replace('pipeId: "0123"', `pipeId: "0${at}"`),
    );
    await apply(each.join('\n---\n'));
    for (const [at, line] of lines.entries()) {
      const object = await scene.psets.until(`pipe-${at}`, 'Planned');
      const [name = '', value = ''] = line.replace('    # ', '').split(': ');
      expect(object.status['plan']).toMatchObject({ requests: [{ body: `{"${name}":${value}}` }] });
    }
    expect(scene.simulator.callCount()).toBe(before);
  });

  test('with an id that none can have, nothing is printed', async () => {
    expect(await run(['pipe', ORGANIZATION, 'a/b', 'c'])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('serviceId must be 1 to 128 letters'),
    });
  });
});

/** By which other tools know this object as theirs; in a copy they would take the copy for it. */
const MARKS = {
  labels: [
    'app.kubernetes.io/managed-by=Helm',
    'argocd.argoproj.io/instance=data',
    'kustomize.toolkit.fluxcd.io/name=data',
    'kustomize.toolkit.fluxcd.io/namespace=flux-system',
  ],
  annotations: [
    'meta.helm.sh/release-name=data',
    'meta.helm.sh/release-namespace=ingest',
    'argocd.argoproj.io/tracking-id=data:pipewright.dev/PipeSettings:ingest/reported',
  ],
};

describe('--from-status', () => {
  const fromStatus = (object: string): Promise<PluginRun> =>
    run(['--from-status', object, '-n', scene.namespace]);

  test('a PipeSettings gets all that was reported, and applying that changes nothing', async () => {
    const pipe = `${ORGANIZATION}/${SERVICE}/reported`;
    scene.simulator.setSettings(pipe, {
      engine_max_threads: 4,
      object_storage_concurrency: 7,
      engine_max_insert_threads: 99,
      engine_parallel_view_processing: true,
    });
    await scene.psets.create('reported', { settings: { engine_max_threads: 8 } });
    await kubectl(['label', 'pset/reported', 'on=yes', ...MARKS.labels, '-n', scene.namespace]);
    const notes = ['note=1', ...MARKS.annotations];
    await kubectl(['annotate', 'pset/reported', ...notes, '-n', scene.namespace]);
    await scene.psets.request('reported');
    await scene.psets.until('reported', 'Applied');
    const before = scene.simulator.settingsOf(pipe);
    const { code, stdout, stderr } = await fromStatus('pset/reported');
    expect(code).toBe(2);
    expect(stderr).toContain('engine_max_insert_threads is left out: the API reported 99');
    expect(stderr).toMatch(/Completed by the reply of \S+Z \(\d+s ago\)/);
    const read = parse(stdout) as Manifest;
    expect(read).toEqual({
      apiVersion: 'pipewright.dev/v1alpha1',
      kind: 'PipeSettings',
      metadata: {
        name: 'reported',
        namespace: scene.namespace,
        labels: { on: 'yes' },
        annotations: { note: '1' },
      },
      spec: {
        organizationId: ORGANIZATION,
        serviceId: SERVICE,
        pipeId: 'reported',
        credentialsSecretRef: { name: SECRET },
        settings: expect.objectContaining({
          object_storage_concurrency: 7,
          engine_max_threads: 8,
          engine_parallel_view_processing: true,
        }),
      },
    });
    await apply(stdout);
    await scene.psets.putsUntil('reported', 2);
    const after = await scene.psets.until('reported', 'Applied');
    expect(scene.simulator.settingsOf(pipe)).toEqual({
      ...before,
      ...(read.spec['settings'] as object),
    });
    expect(after.status['differences']).toBeUndefined();
    const again = await fromStatus('pset/reported');
    expect(parse(again.stdout)).toEqual(read);
  });

  test('an Organization gets its name and its endpoints, and applying that changes nothing', async () => {
    const id = crypto.randomUUID();
    const long = 'A description of more than the sixty-four characters that a status keeps of it.';
    scene.simulator.setOrganization(id, {
      name: 'Seen',
      add: [
        endpoint('ours'),
        endpoint('0123', { description: 'yes' }),
        endpoint('described', { description: long }),
        endpoint('PSC-1'),
      ],
    });
    await scene.orgs.create('seen', {
      organizationId: id,
      privateEndpoints: [endpoint('OURS', { description: 'of the spec' })],
    });
    await scene.orgs.until('seen', 'Applied');
    const before = structuredClone(scene.orgs.held(id));
    const { code, stdout, stderr } = await fromStatus('porg/seen');
    expect(code).toBe(0);
    expect(stderr).toContain('"described" is listed without its description');
    expect(stderr).toContain('adoptPrivateEndpoints is true now');
    const { spec } = parse(stdout) as Manifest;
    expect(spec).toMatchObject({ name: 'Seen', adoptPrivateEndpoints: true });
    expect(spec.privateEndpoints).toEqual([
      endpoint('OURS', { description: 'of the spec' }),
      endpoint('0123', { description: 'yes' }),
      endpoint('described'),
      endpoint('PSC-1'),
    ]);
    await apply(stdout);
    const after = await scene.orgs.untilIt(
      'seen',
      'all to be adopted',
      (org: Org) => ready(org).reason === 'Applied' && ledgerOf(org).length === 4,
    );
    expect(ledgerOf(after)).toEqual(
      ['0123', 'PSC-1', 'described', 'ours'].map((one) => `${one} Adopted Present`),
    );
    expect(new Set(scene.orgs.said(id))).toEqual(new Set(['look']));
    expect(scene.orgs.held(id)).toEqual(before);
  });

  test.concurrent.each([
    ['one without a reply', 'pset/pipe-0', 'shows no reply of the API yet'],
    ['one that is not there', 'pset/nowhere', 'there is no PipeSettings "nowhere"'],
  ])('%s: one sentence', async (_, object, says) => {
    expect(await fromStatus(object)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining(says),
    });
  });
});

test('the key stands in nothing that was printed', () => {
  expect(Object.values(printed).join('').length).toBeGreaterThan(5_000);
  expect(leaks(printed, spellings(scene.key.id, scene.key.secret))).toEqual([]);
});
