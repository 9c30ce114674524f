import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { createKubectl } from '../../src/cli/cluster/kubectl.ts';
import type { Context } from '../../src/cli/command.ts';
import { explain } from '../../src/cli/explain/explain.ts';
import { systemClock } from '../../src/clock.ts';
import { type ControlPlane, startControlPlane } from '../controlplane/controlplane.ts';
import { fakeTerminal } from '../support/fake-terminal.ts';
import { temporaryFolder } from '../support/folder.ts';
import { type PluginRun, plugin } from '../support/plugin.ts';
import { everyState } from '../support/state-files.ts';
import { STATES } from '../support/state-table.ts';
import { KINDS, type KindName } from '../support/states.ts';
import { installLaxCrds } from '../support/states-invalid.ts';
import { storeStates } from '../support/stored-states.ts';

/**
 * `status` and `explain` of an object in every state that deploy/argocd has. A control plane of its
 * own: the CRDs are lax there, or it would not take what an older schema let in.
 */
const NAMESPACE = 'ingest';
const SHORT = { PipeSettings: 'pset', Organization: 'porg', Activity: 'pact' } as const;
const SNAPSHOTS = join(import.meta.dirname, 'snapshots', 'plugin');
const STATES_STORED = everyState();

let own: ControlPlane;

beforeAll(async () => {
  own = await startControlPlane();
  await own.kubectl(['create', 'namespace', NAMESPACE]);
});
afterAll(() => own?.stop());

const run = (...args: string[]): Promise<PluginRun> =>
  plugin(args, { kubeconfig: own.adminKubeconfig });

/** Of what chance makes, times and ages of the day of the test. */
function even(text: string): string {
  return text
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, '2026-03-01T12:00:00Z')
    .replaceAll(/\(\d+[sm] ago\)/g, '(5s ago)');
}

const PLURAL = {
  PipeSettings: 'pipesettings',
  Organization: 'organizations',
  Activity: 'activities',
} as const;
const execute = promisify(execFile);

/** The list, or an object, of a bundle without what another run has otherwise. */
function bundled(text: string): string {
  return text
    .replaceAll(/^ *[\d.]+( [KM]iB| B)?  /gm, 'SIZE  ')
    .replaceAll(/^( *resourceVersion:) .*$/gm, '$1 NUMBER')
    .replaceAll(/^( *uid:) .*$/gm, '$1 UUID');
}

/** Times are those of the day of the test. */
function undated(value: unknown): unknown {
  return JSON.parse(even(JSON.stringify(value)));
}

/** What the command prints, in this process: its start would take longer than all that it does. */
async function explainHere(name: string): Promise<string> {
  const printed: string[] = [];
  const print = (text: string): void => void printed.push(`${text}\n`);
  const base = {
    clock: systemClock,
    stop: new AbortController().signal,
    terminal: fakeTerminal({ print, tell: (text) => print(`stderr: ${text}`) }),
  };
  const context: Context = {
    ...base,
    kubectl: createKubectl(
      { kubeconfig: own.adminKubeconfig },
      { ...base, program: own.kubectlProgram },
    ),
    version: '0',
    env: {},
  };
  await explain(context, [name], { namespace: NAMESPACE, output: 'text' });
  return printed.join('');
}

describe('without CRDs', () => {
  test.each([[['status', '-A']], [['explain', 'pset/orders']]])(
    '%s says that they are not installed',
    async (args) => {
      const { code, stdout, stderr } = await run(...args);
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toMatch(
        /^error: the cluster does not know the kind \w+ of pipewright\.dev: its CRD is not installed\. What to do: kubectl pipewright doctor\n$/,
      );
    },
  );
});

describe('what is asked for wrongly', () => {
  test.each([
    [
      ['explain', 'pod/orders'],
      '"pod" is not a kind of Pipewright; name an object as one of pset/NAME, porg/NAME, pact/NAME',
    ],
    [['explain', 'pset'], '"pset" names no object; write it as pset/NAME'],
    [['explain', 'pset/a/b'], '"pset/a/b" names no object; write it as pset/NAME'],
    [['explain', 'pset', 'a', 'b'], '"pset a b" names no object; write it as pset/NAME'],
    [
      ['explain', 'pset/a..b'],
      '"a..b" is not a name that an object can have; give one of a-z, 0-9, - and dots, with a letter or digit at both ends of each part, and no more than 253 in all',
    ],
    [
      ['explain', `pset/${'o'.repeat(100)}`],
      'the cluster does not know the kind PipeSettings of pipewright.dev: its CRD is not installed. What to do: kubectl pipewright doctor',
    ],
  ])('%s', async (args, message) => {
    expect(await run(...args)).toEqual({ code: 1, stdout: '', stderr: `error: ${message}\n` });
  });

  test.each([[['status', '-o', 'yaml']], [['explain', 'pset/a', '-o', 'wide']]])(
    '%s names the formats there are',
    async (args) => {
      const { code, stderr } = await run(...args);
      expect(code).toBe(1);
      expect(stderr).toContain('Allowed choices are text, json.');
    },
  );
});

describe('in every state', () => {
  const explained = new Map<string, string>();

  beforeAll(async () => {
    await installLaxCrds(own);
    await storeStates(own.admin, NAMESPACE, STATES_STORED);
    const left = [...STATES_STORED];
    const worker = async (): Promise<void> => {
      for (let next = left.pop(); next; next = left.pop()) {
        const { kind, state } = next;
        explained.set(`${kind} ${state}`, await explainHere(`${SHORT[kind]}/${state}`));
      }
    };
    await Promise.all(Array.from({ length: 4 }, worker));
  });

  test('status shows what needs a person first', async () => {
    const { code, stdout, stderr } = await run('status', '-A');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    await expect(even(stdout)).toMatchFileSnapshot(join(SNAPSHOTS, 'status.txt'));
  });

  test('status agrees with what others who read the objects make of them', async () => {
    const { code, stdout } = await run('status', '-n', NAMESPACE, '-o', 'json', '--check');
    expect(code).toBe(2);
    const { items } = JSON.parse(stdout) as {
      items: { kind: KindName; name: string; ready: boolean; stalled: boolean }[];
    };
    const met = items.map(({ kind, name, ready, stalled }) => [
      `${kind} ${name}`,
      ready ? 'Ready' : stalled ? 'Stalled' : 'neither',
    ]);
    const wanted = STATES_STORED.map(({ kind, state }) => [
      `${kind} ${state}`,
      STATES[state]?.wait,
    ]);
    expect(Object.fromEntries(met)).toEqual(Object.fromEntries(wanted));
  });

  test.each(KINDS)('explain tells the story of each %s', async (kind) => {
    const stories = STATES_STORED.filter((one) => one.kind === kind).map(
      ({ state }) => `${even(explained.get(`${kind} ${state}`) ?? '')}\n`,
    );
    await expect(stories.join('\n')).toMatchFileSnapshot(join(SNAPSHOTS, `explain-${kind}.txt`));
  });

  test.each(KINDS)('explain prints the same of a %s where kubectl starts it', async (kind) => {
    const { code, stdout, stderr } = await run('explain', SHORT[kind], 'edited', '-n', NAMESPACE);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(even(stdout)).toBe(even(explained.get(`${kind} edited`) ?? ''));
  });

  test('bundle holds each as it stands, and nothing of the record of an Activity', async () => {
    const folder = await temporaryFolder();
    const file = join(folder, 'states.tar.gz');
    const { code, stdout } = await run('bundle', '-n', NAMESPACE, '-f', file);
    // There is no operator here, and no Secret, which the list inside says.
    expect(code).toBe(2);
    await expect(bundled(stdout)).toMatchFileSnapshot(join(SNAPSHOTS, 'bundle-list.txt'));
    const unpacked = await execute('tar', ['-xzf', file, '-C', folder]);
    expect(unpacked.stderr).toBe('');
    for (const { kind, state, object } of STATES_STORED) {
      const path = join(folder, 'states', 'objects', NAMESPACE, PLURAL[kind], `${state}.yaml`);
      const inside = parse(await readFile(path, 'utf8')) as {
        readonly status: Readonly<Record<string, unknown>>;
      };
      const shown = 'activity' in object.status ? { activity: '(not shown)' } : {};
      expect(undated(inside.status), path).toEqual(undated({ ...object.status, ...shown }));
    }
    const written = await readFile(
      join(folder, 'states', 'objects', NAMESPACE, 'organizations', 'removal-blocked.yaml'),
      'utf8',
    );
    await expect(bundled(even(written))).toMatchFileSnapshot(join(SNAPSHOTS, 'bundle-object.txt'));
  });

  test('an object that is not there is named, with how to list all', async () => {
    expect(await run('explain', 'porg/nowhere', '-n', NAMESPACE)).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'error: there is no Organization "nowhere" in namespace "ingest"; list them all: kubectl get organizations.pipewright.dev -A\n',
    });
  });

  test('where there are no objects it says so, and nothing is wrong', async () => {
    const say = (sentence: string) => ({ code: 0, stdout: '', stderr: `${sentence}\n` });
    expect(await run('status', '--check')).toEqual(
      say('No objects of Pipewright found in namespace "default".'),
    );
    expect(await run('status', '-A', '-l', 'team=a,tier!=b')).toEqual(
      say('No objects of Pipewright found in any namespace with the labels "team=a,tier!=b".'),
    );
    expect(JSON.parse((await run('status', '-o', 'json')).stdout)).toEqual({ items: [] });
  });

  test('labels that are none are refused as they were given', async () => {
    const { code, stderr } = await run('status', '-A', '-l', 'a b c');
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(
        /^error: -l "a b c": [^/]+; give labels such as -l team=data\n$/,
      ),
    });
  });

  test.each([
    [['status', '-A'], 'cannot list resource'],
    [['explain', 'pset/applied', '-n', NAMESPACE], 'cannot get resource "pipesettings"'],
  ])('without rights %s names the right that is missing', async (args, right) => {
    const kubeconfig = await own.addUser('nobody');
    const { code, stdout, stderr } = await plugin(args, { kubeconfig });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^error: [^\n]+\n$/);
    expect(stderr).toContain(right);
    expect(stderr).toContain('ask for this right');
  });

  test('who may not list Activities sees the others, and is told', async () => {
    const kubeconfig = await own.addUser('no-records');
    const rule = [
      '--verb=get,list',
      '--resource=pipesettings.pipewright.dev,organizations.pipewright.dev',
    ];
    await own.kubectl(['create', 'clusterrole', 'no-records', ...rule]);
    await own.kubectl([
      'create',
      'clusterrolebinding',
      'no-records',
      '--clusterrole=no-records',
      '--user=no-records',
    ]);
    const { code, stdout, stderr } = await plugin(['status', '-A'], { kubeconfig });
    expect(code).toBe(0);
    expect(stdout).toContain('pset/applied');
    expect(stdout).not.toContain('pact/');
    expect(stderr).toMatch(/^not shown: .*activities/);
  });

  test('explain shows nothing of the people in the record of an Activity', async () => {
    const fetched = STATES_STORED.find(({ state }) => state === 'fetched')?.object.status;
    const record = fetched?.['activity'] as Readonly<Record<string, string>>;
    const people = ['actorId', 'actorDetails', 'actorIpAddress', 'userAgent', 'actorType'];
    const values = people.map((field) => record[field] ?? '').filter((value) => value.length > 3);
    expect(values.length).toBeGreaterThan(2);
    const asked = ['explain', 'pact', 'fetched', '-n', NAMESPACE];
    const [text, json] = await Promise.all([run(...asked), run(...asked, '-o', 'json')]);
    expect(values.filter((value) => (text.stdout + json.stdout).includes(value))).toEqual([]);
    expect(JSON.parse(json.stdout)).toMatchObject({
      kind: 'Activity',
      name: 'fetched',
      ready: true,
      record: { type: record['type'] },
    });
  });
});
