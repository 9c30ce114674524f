import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Ran } from '../../src/cli/cluster/child.ts';
import { createKubectl, type Kubectl, KubectlError } from '../../src/cli/cluster/kubectl.ts';
import { withOneLogin } from '../../src/cli/cluster/one-login.ts';
import { Stopped } from '../../src/cli/user-error.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { fakeTerminal } from '../support/fake-terminal.ts';
import { folderOf } from '../support/folder.ts';

interface Stage {
  readonly kubectl: Kubectl;
  readonly clock: FakeClock;
  readonly stop: AbortController;
  readonly told: string[];
}

/** A kubectl that is this shell script. */
async function kubectlThat(script: string): Promise<Stage> {
  const program = join(await folderOf({ kubectl: `#!/bin/sh\n${script}\n` }), 'kubectl');
  await chmod(program, 0o755);
  const clock = new FakeClock();
  const stop = new AbortController();
  const told: string[] = [];
  const terminal = fakeTerminal({ print: (line) => void told.push(line) });
  const kubectl = createKubectl({}, { terminal, clock, stop: stop.signal, program });
  return { kubectl, clock, stop, told };
}

const errorOf = (run: Promise<unknown>): Promise<unknown> =>
  run.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('a kubectl that was ended gave no answer', () => {
  const calls: [string, (kubectl: Kubectl) => Promise<unknown>][] = [
    ['run', (kubectl) => kubectl.run(['get'])],
    ['find', (kubectl) => kubectl.find('/api')],
    ['currentNamespace', (kubectl) => kubectl.currentNamespace()],
    ['follow', (kubectl) => kubectl.follow('/api', () => {}, new AbortController().signal)],
  ];
  test.each(calls)('%s', async (_, call) => {
    const { kubectl } = await kubectlThat('kill -INT $$');
    expect(await errorOf(call(kubectl))).toMatchObject({ name: 'Stopped', exitCode: 130 });
  });

  test('by another signal than that of Ctrl-C', async () => {
    const { kubectl } = await kubectlThat('kill -KILL $$');
    expect(await errorOf(kubectl.get('/api'))).toMatchObject({
      name: 'Stopped',
      exitCode: 137,
      message: 'kubectl get --raw /api was ended by SIGKILL; try again',
    });
  });

  test('nothing is started after Ctrl-C', async () => {
    const { kubectl, stop } = await kubectlThat('echo {}');
    expect(await kubectl.get('/api')).toEqual({});
    stop.abort();
    expect(await errorOf(kubectl.get('/api'))).toBeInstanceOf(Stopped);
  });

  test('an exit code that came with Ctrl-C is no refusal', async () => {
    const { kubectl, stop } = await kubectlThat('while read -r line; do :; done; exit 1');
    const running = errorOf(kubectl.run(['apply'], 'a\n'.repeat(1_000)));
    stop.abort();
    expect(await running).toBeInstanceOf(Stopped);
  });
});

describe('what a login program says', () => {
  const ASKS = 'echo "open https://login.example.com, code \u001b[31mABCD" >&2';

  test('is shown while it waits, once', async () => {
    const folder = await folderOf({});
    const go = join(folder, 'go');
    const { kubectl, clock, told } = await kubectlThat(
      `mkfifo ${go}; ${ASKS}; read -r _ < ${go}; echo 'error: You must be logged in to the server (Unauthorized)' >&2; exit 1`,
    );
    const running = errorOf(kubectl.get('/api'));
    await expect.poll(() => clock.pending).toBe(1);
    await clock.advance(1_900);
    expect(told).toEqual([]);
    await clock.advance(200);
    expect(told).toHaveLength(1);
    expect(told[0]).toContain('open https://login.example.com');
    await writeFile(go, 'go\n');
    const error = await running;
    expect(error).toBeInstanceOf(KubectlError);
    expect(String(error)).not.toContain('login.example.com');
    expect(told).toHaveLength(1);
  });

  test('is part of the error where it ends soon', async () => {
    const { kubectl, told } = await kubectlThat(`${ASKS}; exit 1`);
    expect(String(await errorOf(kubectl.get('/api')))).toContain('open https://login.example.com');
    expect(told).toEqual([]);
  });
});

describe('where somebody may have to log in', () => {
  const REFUSED = 'error: You must be logged in to the server (Unauthorized)';
  /** Three calls at once, and what has been called when the first has not ended and when all have. */
  async function threeCalls(answer: Ran, isAsked = true) {
    const called: string[] = [];
    const first = Promise.withResolvers<Ran>();
    const run = withOneLogin(async ([name = '']) => {
      called.push(name);
      return name === 'a' ? first.promise : { code: 0, stdout: name, stderr: '' };
    }, isAsked);
    const all = Promise.all(['a', 'b', 'c'].map((name) => run([name])));
    const before = [...called];
    await run(['config']);
    first.resolve(answer);
    const codes = (await all).map(({ code }) => code);
    return { before, called: called.filter((name) => name !== 'config'), codes, run };
  }

  test('the first call goes alone, the others when it has ended', async () => {
    const { before, called } = await threeCalls({ code: 0, stdout: '', stderr: '' });
    expect({ before, called }).toEqual({ before: ['a'], called: ['a', 'b', 'c'] });
  });

  test('nobody is asked again where the first was not let in, until the next time', async () => {
    const answer = { code: 1, stdout: '', stderr: REFUSED };
    const { called, codes, run } = await threeCalls(answer);
    expect({ called, codes }).toEqual({ called: ['a'], codes: [1, 1, 1] });
    expect((await run(['d'])).code).toBe(0);
  });

  test('what the first may not do says nothing of the others', async () => {
    const stderr = 'Error from server (NotFound): pods "a" not found';
    const { codes } = await threeCalls({ code: 1, stdout: '', stderr });
    expect(codes).toEqual([1, 0, 0]);
  });

  test('where nobody can be asked, all go at once', async () => {
    const { before } = await threeCalls({ code: 0, stdout: '', stderr: '' }, false);
    expect(before).toEqual(['a', 'b', 'c']);
  });
});

describe('the namespace', () => {
  afterEach(() => vi.unstubAllEnvs());
  const NONE = 'echo "error: current-context must exist in order to minify" >&2; exit 1';

  test('is that of the kubeconfig', async () => {
    const { kubectl } = await kubectlThat('printf ingest');
    expect(await kubectl.currentNamespace()).toBe('ingest');
  });

  test('is that of the Pod where there is no kubeconfig', async () => {
    vi.stubEnv('KUBERNETES_SERVICE_HOST', '10.0.0.1');
    vi.stubEnv('POD_NAMESPACE', 'jobs');
    const { kubectl } = await kubectlThat(NONE);
    expect(await kubectl.currentNamespace()).toBe('jobs');
  });

  test('is default where there is neither', async () => {
    vi.stubEnv('KUBERNETES_SERVICE_HOST', undefined);
    vi.stubEnv('POD_NAMESPACE', 'jobs');
    const { kubectl } = await kubectlThat(NONE);
    expect(await kubectl.currentNamespace()).toBe('default');
  });

  test('a context that is not there is an error', async () => {
    const { kubectl } = await kubectlThat('echo "error: cannot locate context nope" >&2; exit 1');
    expect(String(await errorOf(kubectl.currentNamespace()))).toContain('context nope');
  });
});

test('the kuberc of the user has no say in what is read', async () => {
  vi.stubEnv('KUBERC', '/somewhere');
  const { kubectl } = await kubectlThat('printf "\\"%s\\"" "$KUBERC"');
  expect(await kubectl.get('/api')).toBe('off');
  vi.unstubAllEnvs();
});
