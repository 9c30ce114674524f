import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseDocument } from 'yaml';
import { applyYaml, serviceAccountKubeconfig } from '../controlplane/client.ts';
import { allow, operatorRules, untilAllowed, writesOf } from '../support/cluster.ts';
import { type RunningOperator, startOperator } from '../support/operator.ts';
import { plugin } from '../support/plugin.ts';
import { openScene, type Scene } from '../support/scene.ts';
import { ACCOUNTS, EXAMPLES, type JobRun, jobOf, TOKEN } from './comment-plan.ts';

const MARK = '<!-- kubectl pipewright plan -->';
const FORGES = ['GitHub', 'GitLab'] as const;
const WRITES = { GitHub: /^(POST|PATCH) /, GitLab: /^(POST|PUT) / };

function pipe(name: string, settings: object, namespace = 'ingest'): string {
  return `${JSON.stringify({
    apiVersion: 'pipewright.dev/v1alpha1',
    kind: 'PipeSettings',
    metadata: { name, namespace },
    spec: {
      organizationId: '0b1d7c52-4f0e-4d0b-9a53-2f1c6e1d8a10',
      serviceId: '5c2f9b7e-86a1-4b6c-8f07-5d9c0a4b3e21',
      pipeId: `pipe-${name}`,
      credentialsSecretRef: { name: 'management-api' },
      settings,
    },
  })}\n`;
}

const FINE = { 'pipes.yaml': pipe('orders', { engine_max_threads: 4 }) };
const INVALID = { 'pipes.yaml': pipe('orders', { engine_max_threads: 1_000 }) };

/** The token is in nothing that anybody else can see. */
function expectSecret({ stdout, stderr, started, summary }: JobRun): void {
  for (const shown of [stdout, stderr, started, summary]) expect(shown).not.toContain(TOKEN);
}

describe.each(FORGES)('on %s, without a cluster', (name) => {
  test('a first run writes a comment, a second one replaces it', async () => {
    const job = await jobOf(name, FINE);
    job.forge.comments.push({ id: 1, author: 'ada', body: 'What does this change?' });
    const first = await job.run();
    expect(first).toMatchObject({ code: 0, stderr: '' });
    expect(first.stdout).toContain('The plan: something would be sent.\n');
    const [, made] = job.forge.comments;
    expect(made?.author).toBe(ACCOUNTS[name]);
    expect(made?.body.split('\n', 1)).toEqual([MARK]);
    expect(made?.body).toContain('{"engine_max_threads":4}');
    const changed = pipe('orders', { engine_max_threads: 8 });
    await writeFile(join(job.folder, 'manifests', 'pipes.yaml'), changed);
    const second = await job.run();
    expect(second).toMatchObject({ code: 0, stderr: '' });
    expect(job.forge.comments).toHaveLength(2);
    expect(job.forge.comments[0]?.body).toBe('What does this change?');
    expect(job.forge.comments[1]?.body).toContain('{"engine_max_threads":8}');
    for (const ran of [first, second]) expectSecret(ran);
    expect(first.started).toContain('\n--header\n@-\n');
    expect((await readdir(job.folder)).filter((one) => one.startsWith('tmp.'))).toEqual([]);
  });

  test('the comment is found behind hundreds of others, and only when it is ours', async () => {
    const job = await jobOf(name, FINE);
    const others = Array.from({ length: 220 }, (_, index) => ({
      id: index + 1,
      author: 'ada',
      body: index === 3 ? `${MARK}\nby somebody else` : `this is no ${MARK}`,
    }));
    job.forge.comments.push(...others, { id: 221, author: ACCOUNTS[name], body: `${MARK}\r\nold` });
    expect(await job.run()).toMatchObject({ code: 0, stderr: '' });
    expect(job.forge.comments).toHaveLength(221);
    expect(job.forge.comments[3]?.body).toBe(`${MARK}\nby somebody else`);
    expect(job.forge.comments[220]?.body).toContain('Pipewright plan');
    expect(job.forge.requests.filter((request) => WRITES[name].test(request))).toHaveLength(1);
  });

  test('what is not valid is commented, and fails the job', async () => {
    const job = await jobOf(name, INVALID);
    const ran = await job.run();
    expect(ran.code).toBe(1);
    expect(ran.stderr).toMatch(/^plan: error: 1 of 1 objects is not valid; /);
    expect(job.forge.comments[0]?.body).toContain('**Not valid**');
    expect(job.forge.comments[0]?.body).toContain('must be a whole number from 0 to 64, not 1000');
    expectSecret(ran);
  });

  test('a job that may not comment shows the plan without asking the forge', async () => {
    const job = await jobOf(name, INVALID);
    const ran = await job.run({ PLAN_COMMENT: 'false', GITHUB_TOKEN: '', GITLAB_TOKEN: '' });
    expect(ran.code).toBe(1);
    expect(name === 'GitHub' ? ran.summary : ran.stdout).toContain('**Not valid**');
    expect(job.forge.requests).toEqual([]);
  });

  test('an answer of 500 fails the job and is shown', async () => {
    const job = await jobOf(name, FINE);
    job.forge.answer = { status: 500, body: '{"message":"Server\nError"}' };
    const ran = await job.run();
    expect(ran.code).toBe(1);
    expect(ran.stderr).toMatch(
      new RegExp(
        `^error: ${name} answered 500 to GET http://\\S+: .*Server Error.*; .* run the job again\n$`,
      ),
    );
    expectSecret(ran);
  });
});

describe('whichever of the two it is', () => {
  test('where there is no plan the comment says why, as text and nothing else', async () => {
    const hostile = 'kind: [\n"```\n/approve\n<b>@everyone</b>": \u0007x\n';
    const job = await jobOf('GitHub', { '```;$(id).yaml': hostile });
    const ran = await job.run();
    expect(ran.code).toBe(1);
    const [mark, heading, blank, why, between, ...said] = (job.forge.comments[0]?.body ?? '')
      .trimEnd()
      .split('\n');
    expect([mark, heading, blank, why, between]).toEqual([
      MARK,
      '### Pipewright plan',
      '',
      '**The plan failed:**',
      '',
    ]);
    expect(said[0]).toMatch(/^ {4}error: manifests\/```;\$\(id\)\.yaml:\d+:\d+: this is not valid/);
    expect(said.filter((line) => !line.startsWith('    '))).toEqual([]);
  });

  test('an empty change is no failure', async () => {
    const job = await jobOf('GitHub', { 'other.yaml': 'apiVersion: v1\nkind: ConfigMap\n' });
    expect(await job.run()).toMatchObject({ code: 0 });
    expect(job.forge.comments[0]?.body).toContain('There is nothing to plan:');
  });

  test('a text that JSON and shells trip over arrives as it was', async () => {
    const names = ['"\\"\\u0000', "'; exit 1; '", '$(touch x) `id` %s \\n', '</details>\u2028💥 é'];
    const files = Object.fromEntries(
      names.map((one, index) => [`${index} "$x" \\ '%s.yaml`, pipe(one, { [one]: one })]),
    );
    const job = await jobOf('GitHub', { ...files, ...FINE });
    const ran = await job.run();
    const args = ['plan', '-o', 'markdown', '--offline', '-f', 'manifests'];
    const { stdout } = await plugin(args, { cwd: job.folder });
    expect(stdout).toContain('💥');
    expect(job.forge.comments.map(({ body }) => body)).toEqual([stdout]);
    expect(ran.code).toBe(1);
  });

  test.each([
    ['403', { status: 403, body: '{"message":"Resource not accessible"}' }, 'check that '],
    ['200 with a page', { status: 200, body: '<html>Sign in</html>' }, '<html>Sign in</html>'],
  ])('an answer of %s fails the job and is shown', async (_, answer, todo) => {
    const job = await jobOf('GitHub', FINE);
    job.forge.answer = answer;
    const ran = await job.run();
    expect(ran.code).toBe(1);
    expect(ran.stderr).toMatch(new RegExp(`^error: GitHub answered .*http://127.0.0.1:\\d+/.*\n$`));
    expect(ran.stderr).toContain(todo);
    expectSecret(ran);
  });

  test('a forge that is not there fails the job and is named', async () => {
    const job = await jobOf('GitHub', FINE);
    await job.forge.close();
    const ran = await job.run();
    expect(ran.code).toBe(1);
    expect(ran.stderr).toMatch(new RegExp(`^error: GitHub could not be asked .*curl: `));
    expectSecret(ran);
  });

  test('a trace shows no token, and without one the job says what to set', async () => {
    const job = await jobOf('GitHub', FINE);
    const traced = await job.run({}, ['sh', '-x', 'ci/comment-plan.sh']);
    expect(traced.code).toBe(0);
    expect(traced.stderr).toContain('+ set +x');
    expectSecret(traced);
    const without = await job.run({ GITHUB_TOKEN: '', GITLAB_TOKEN: '' });
    expect(without.code).toBe(1);
    expect(without.stderr).toMatch(/^error: GIT(HUB|LAB)_TOKEN is not set; give /);
  });
});

test('without a folder, and outside of a CI, it says so', async () => {
  const job = await jobOf('GitHub', FINE);
  expect((await job.run({ PLAN_FOLDER: '' })).stderr).toMatch(/^error: PLAN_FOLDER is not set/);
  expect((await job.run({ GITHUB_ACTIONS: '' })).stderr).toMatch(/^error: neither GITHUB_ACTIONS/);
  const branch = await job.run({ GITHUB_REF: 'refs/heads/main' });
  expect(branch.stderr).toMatch(/^error: GITHUB_REF is refs\/heads\/main, which names no pull/);
  expect(job.forge.requests).toEqual([]);
});

describe('with a cluster, as the user of reader.yaml', () => {
  const USER = 'pipewright-plan';
  let scene: Scene;
  let operator: RunningOperator;
  let kubeconfig: string;
  beforeAll(async () => {
    scene = await openScene({ start: false });
    const leases = { apiGroups: ['coordination.k8s.io'], resources: ['leases'] };
    const verbs = ['get', 'list', 'watch', 'create', 'update'];
    await allow(scene.namespace, 'operator', [...(await operatorRules()), { ...leases, verbs }]);
    operator = await startOperator({
      kubeconfig: scene.kubeconfig,
      apiUrl: scene.simulator.url,
      flags: [
        '--namespaces',
        scene.namespace,
        '--leader-elect',
        '--leader-elect-namespace',
        scene.namespace,
      ],
    });
    const reader = await readFile(join(EXAMPLES, 'reader.yaml'), 'utf8');
    const inScene = reader.replaceAll('namespace: pipewright\n', `namespace: ${scene.namespace}\n`);
    await applyYaml(inScene, scene.namespace);
    kubeconfig = await serviceAccountKubeconfig(scene.namespace, USER);
    const user = `system:serviceaccount:${scene.namespace}:${USER}`;
    const listing = { group: 'pipewright.dev', resource: 'activities', verb: 'list' };
    await untilAllowed(user, listing);
    const { namespace } = scene;
    const leading = { group: 'coordination.k8s.io', resource: 'leases', verb: 'list', namespace };
    await untilAllowed(user, leading);
  });
  afterAll(async () => {
    await operator.stop();
    await scene.end();
  });

  const orders = (threads: number): Readonly<Record<string, string>> => ({
    'pipes.yaml': pipe('orders', { engine_max_threads: threads }, scene.namespace),
  });
  const asReader = (): Record<string, string> => ({
    PLAN_KUBECONFIG: kubeconfig,
    PLAN_FLAGS: `--operator-namespace ${scene.namespace}`,
  });

  test.each(FORGES)('on %s: the change against what the API confirmed', async (name) => {
    await applyYaml(orders(4)['pipes.yaml'] ?? '', scene.namespace);
    await scene.psets.until('orders', 'Applied');
    const job = await jobOf(name, orders(9));
    const text = await readFile(kubeconfig, 'utf8');
    // A secret of GitHub is a text, a variable of GitLab may be a file.
    const given = name === 'GitHub' ? text : kubeconfig;
    const ran = await job.run({ ...asReader(), PLAN_KUBECONFIG: given });
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(job.forge.comments).toHaveLength(1);
    expect(job.forge.comments[0]?.body).toContain('\nengine_max_threads: 4 → 9\n');
    expect(ran.started).not.toContain(text.slice(-200));
    expectSecret(ran);
    expect(await writesOf(`system:serviceaccount:${scene.namespace}:${USER}`)).toEqual([]);
  });

  test('what is as confirmed sends nothing', async () => {
    await applyYaml(orders(4)['pipes.yaml'] ?? '', scene.namespace);
    await scene.psets.until('orders', 'Applied');
    const job = await jobOf('GitHub', orders(4));
    const ran = await job.run(asReader());
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(ran.stdout).toContain('The plan: nothing would be sent.\n');
  });
});

interface Workflow {
  readonly on: Readonly<Record<string, { readonly paths?: readonly string[] }>>;
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: {
    readonly plan: {
      readonly steps: readonly {
        readonly run?: string;
        readonly env?: Readonly<Record<string, string>>;
      }[];
    };
  };
}

interface GitLabJob {
  readonly variables: Readonly<Record<string, string>>;
  readonly rules: readonly {
    readonly if: string;
    readonly variables?: Readonly<Record<string, string>>;
  }[];
  readonly script: readonly string[];
}

async function parsed<T>(file: string): Promise<T> {
  const document = parseDocument(await readFile(join(EXAMPLES, file), 'utf8'));
  expect([...document.errors, ...document.warnings]).toEqual([]);
  return document.toJS() as T;
}

describe('the examples run the script', () => {
  test('the workflow of GitHub, with no more rights than it needs', async () => {
    const { on, permissions, jobs } = await parsed<Workflow>('github-workflow.yaml');
    expect(Object.keys(on)).toEqual(['pull_request']);
    expect(permissions).toEqual({ contents: 'read', 'pull-requests': 'write' });
    const { run, env = {} } = jobs.plan.steps.at(-1) ?? {};
    expect(on['pull_request']?.paths).toContain(`${env['PLAN_FOLDER']}/**`);
    const job = await jobOf('GitHub', FINE);
    const given = (isFork: boolean): Record<string, string> => {
      const values: Readonly<Record<string, string>> = {
        'secrets.PIPEWRIGHT_KUBECONFIG': '',
        'github.event.pull_request.head.repo.full_name == github.repository': String(!isFork),
        'github.token': isFork ? 'one-that-can-only-read' : TOKEN,
      };
      const filled = Object.entries(env).map(([name, value]) => [
        name,
        value.replace(/\$\{\{ (.*?) \}\}/g, (all, inner: string) => values[inner] ?? all),
      ]);
      return Object.fromEntries(filled) as Record<string, string>;
    };
    expect(Object.values(given(false)).join('\n')).not.toContain('${{');
    const command = ['bash', '-e', '-c', run ?? ''];
    expect(await job.run(given(true), command)).toMatchObject({ code: 0 });
    expect(job.forge.requests).toEqual([]);
    expect(await job.run(given(false), command)).toMatchObject({ code: 0 });
    expect(job.forge.comments).toHaveLength(1);
  });

  test('the job of GitLab, with a fork too', async () => {
    const file = await parsed<Readonly<Record<string, GitLabJob>>>('gitlab-job.yaml');
    const { variables, rules, script } = file['pipewright-plan'] ?? {
      variables: {},
      rules: [],
      script: [],
    };
    const command = ['sh', '-e', '-c', script.join('\n')];
    const job = await jobOf('GitLab', FINE);
    const [own, fork] = rules;
    expect(own?.if).toContain('CI_MERGE_REQUEST_SOURCE_PROJECT_ID == $CI_MERGE_REQUEST_PROJECT_ID');
    const inFork = { ...variables, ...fork?.variables, GITLAB_TOKEN: '' };
    expect(await job.run(inFork, command)).toMatchObject({ code: 0 });
    expect(job.forge.requests).toEqual([]);
    expect(await job.run({ ...variables, ...own?.variables }, command)).toMatchObject({ code: 0 });
    expect(job.forge.comments).toHaveLength(1);
  });
});
