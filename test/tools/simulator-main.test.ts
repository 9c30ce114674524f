import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { basic, caller, ORGANIZATION, ORGANIZATION_PATH, PIPE_PATH } from '../simulator/caller.ts';
import { readFlags } from '../simulator/flags.ts';

const MAIN = fileURLToPath(new URL('../simulator/main.ts', import.meta.url));
const KEY = ['--key-id', 'key', '--key-secret', 'hush'];

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

function run(...args: string[]): {
  child: ChildProcess;
  line(): Promise<string>;
  ended: Promise<unknown[]>;
} {
  const child = spawn(process.execPath, [MAIN, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    child,
    line: async () => String((await lines.next()).value),
    ended: once(child, 'exit'),
  };
}

describe('the process', () => {
  it('says what it is and how to call it, then one line for each call, and never a secret', async () => {
    const { child, line, ended } = run(...KEY, '--pipe', 'org/service/pipe');
    const first = await line();
    const [url = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(first) ?? [];
    expect(first).toBe(`Simulated management API at ${url}; it forgets everything when it ends.`);
    const second = await line();
    expect(second).toMatch(/^Try: curl -u 'key:<key secret>' -X PUT /);
    expect(second).toContain(`${url}${PIPE_PATH}`);
    await caller(url, basic('key', 'hush'))('PUT', PIPE_PATH, '{\n"engine_max_threads": 9 }');
    await caller(url, basic('key', 'wrong'))('PUT', `${PIPE_PATH}/none`, 'no\nJSON');
    const [good, bad] = [await line(), await line()];
    expect(good).toMatch(
      /^\S+Z 200 PUT \S+\/settings \{"engine_max_threads":9\} \d+ ms [0-9a-f-]{36}$/,
    );
    expect(bad).toMatch(/^\S+Z 401 PUT \S+\/none "no\\nJSON" \d+ ms$/);
    expect([first, second, good, bad].join('\n')).not.toContain('hush');
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  });

  it('ends at once on SIGINT, with calls open', async () => {
    const { child, line, ended } = run(...KEY, '--control', '--latency-ms', '60000');
    const [url = ''] = /http:\S+\d/.exec(await line()) ?? [];
    await line();
    const answer = caller(url, basic('key', 'hush'))('PUT', PIPE_PATH, { engine_max_threads: 1 });
    answer.catch(() => {});
    await expect
      .poll(async () => (await fetch(`${url}/_control/counts`)).json())
      .toMatchObject({ calls: 1 });
    child.kill('SIGINT');
    expect(await ended).toEqual([0, null]);
    await expect(answer).rejects.toThrow('fetch failed');
  });

  it('ends with 2 and every problem when the flags are wrong', async () => {
    const child = spawn(process.execPath, [MAIN, '--port', 'x', '--colour', 'red'], {
      stdio: 'pipe',
    });
    children.push(child);
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
    expect(await once(child, 'close')).toEqual([2, null]);
    for (const problem of [
      '--colour: no such flag',
      '--port: "x" is not',
      '--key-id: give',
      '--key-secret: give',
    ]) {
      expect(said).toContain(problem);
    }
  });

  it('ends with 1 and the reason when the port is taken', async () => {
    const { line } = run(...KEY);
    const [port = ''] = /\d+(?=;)/.exec(await line()) ?? [];
    const second = spawn(process.execPath, [MAIN, ...KEY, '--port', port], { stdio: 'pipe' });
    children.push(second);
    let said = '';
    second.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
    expect(await once(second, 'close')).toEqual([1, null]);
    expect(said).toContain(`EADDRINUSE`);
  });
});

describe('flags', () => {
  it('make organizations that others use, and activities', async () => {
    const { line } = run(
      ...KEY,
      '--organization',
      ORGANIZATION,
      '--activity',
      `${ORGANIZATION}/a/1`,
      '--pipe',
      'o/s/p',
    );
    const [url = ''] = /http:\S+\d/.exec(await line()) ?? [];
    const send = caller(url, basic('key', 'hush'));
    const { body } = await send('PATCH', ORGANIZATION_PATH, {
      privateEndpoints: { add: [], remove: [] },
    });
    expect(body.result?.privateEndpoints).toMatchObject([{ id: 'theirs-1' }, { id: 'theirs-2' }]);
    const { body: found } = await send('GET', `${ORGANIZATION_PATH}/activities/a%2F1`);
    expect(found.result).toMatchObject({ id: 'a/1', organizationId: ORGANIZATION });
    expect((await send('PATCH', ORGANIZATION_PATH.replace(/1$/, '2'), { name: 'x' })).status).toBe(
      404,
    );
  });

  it('become options', () => {
    const pipes = ['--pipe', 'o/s/p', '--pipe=o/s/q'];
    const args = [
      ...KEY,
      '--port=8080',
      '--latency-ms',
      '20',
      '--rate',
      '10/2.5s',
      '--rate-header',
      'none',
      ...pipes,
    ];
    expect(readFlags([...args, '--control', '--quiet'])).toEqual({
      quiet: true,
      options: {
        keys: { key: 'hush' },
        port: 8080,
        latencyMs: 20,
        rate: { calls: 10, perMs: 2500, header: 'none' },
        pipes: ['o/s/p', 'o/s/q'],
        anyPipe: false,
        control: true,
      },
    });
  });

  it.each([
    [[], true],
    [['--pipe', 'o/s/p'], false],
    [['--pipe', 'o/s/p', '--any-pipe'], true],
  ])('%j accept every pipe: %s', (more, anyPipe) => {
    expect(readFlags([...KEY, ...more])).toMatchObject({ options: { anyPipe } });
  });

  it.each([
    [['--port', '65536'], '--port: "65536" is not a whole number from 0 to 65535'],
    [['--latency-ms', '-1'], '--latency-ms: "-1" is not a whole number'],
    [['--rate', '10'], '--rate: "10" is not calls over seconds, such as 10/10s'],
    [['--rate', '0/10s'], '--rate: "0/10s" is not calls over seconds'],
    [['--rate-header', 'loud'], '--rate-header: "loud" is none of reset-seconds'],
    [['--pipe', 'o/s'], '--pipe: "o/s" is not organization/service/pipe'],
    [['--organization', 'acme'], '--organization: "acme" is not a uuid'],
    [['--activity', 'a'], '--activity: "a" is not organization/activity'],
    [
      ['--key-id', 'other'],
      '--key-secret: there are 2 key ids and 1 secrets; give each id its secret',
    ],
    [['--tls-cert', '/nowhere'], '--tls-key: give the private key'],
    [
      ['--tls-cert', '/nowhere', '--tls-key', '/nowhere'],
      '--tls-cert: cannot read /nowhere: ENOENT',
    ],
    [['--control=yes'], '--control: takes no value'],
    [['--port'], '--port: give it a value, N'],
    [['stray'], 'stray: no such flag'],
  ])('%j are refused with the reason', (more, text) => {
    const flags = readFlags([...KEY, ...more]);
    expect('problems' in flags && flags.problems.join('\n')).toContain(text);
  });
});
