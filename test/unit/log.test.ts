import { spawnSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { bugFields, errorFields, type Log, type LogLevel } from '../../src/telemetry/log.ts';
import { createLog } from '../../src/telemetry/logger.ts';
import { createRedactor, type Redactor } from '../../src/telemetry/mask.ts';

function recorded(options: { level?: LogLevel; redactor?: Redactor } = {}): {
  log: Log;
  lines: () => unknown[];
  text: () => string;
} {
  const written: string[] = [];
  const log = createLog({
    level: options.level ?? 'trace',
    redactor: options.redactor ?? createRedactor(),
    destination: { write: (line) => written.push(line) },
  });
  return {
    log,
    lines: () => written.map((line) => JSON.parse(line) as unknown),
    text: () => written.join(''),
  };
}

/** As kube or a library might have it: anything goes. */
interface WideLog {
  info(fields: object, message: string): void;
}

describe('a line', () => {
  test('is one JSON object with level, ISO time, the fields and the message', () => {
    const { log, lines } = recorded();
    log.info({ kind: 'PipeSettings', namespace: 'ingest', name: 'orders', ms: 12 }, 'reconciled');
    expect(lines()).toEqual([
      {
        level: 'info',
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        kind: 'PipeSettings',
        namespace: 'ingest',
        name: 'orders',
        ms: 12,
        msg: 'reconciled',
      },
    ]);
  });

  test('below the level is not written', () => {
    const { log, lines } = recorded({ level: 'warn' });
    log.info({}, 'quiet');
    log.warn({}, 'loud');
    expect(lines()).toMatchObject([{ level: 'warn', msg: 'loud' }]);
  });

  test('never carries an object or the properties of an error, whatever the caller hands in', () => {
    const { log, text, lines } = recorded();
    const wide: WideLog = log;
    const error = Object.assign(new Error('refused'), {
      request: { headers: { authorization: 'Basic c2VjcmV0' } },
    });
    wide.info(
      { error, body: { password: 'hunter22' }, list: ['a', { token: 'hunter22' }] },
      'wide',
    );
    expect(text()).not.toMatch(/c2VjcmV0|hunter22/);
    expect(lines()).toMatchObject([
      { error: '[not logged]', body: '[not logged]', list: ['a', '[not logged]'] },
    ]);
  });

  test('is on stdout before the process can die', () => {
    const program = `
      import { createLog } from './src/telemetry/logger.ts';
      import { createRedactor } from './src/telemetry/mask.ts';
      createLog({ level: 'info', redactor: createRedactor() }).fatal({}, 'last words');
      process.kill(process.pid, 'SIGKILL');`;
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
      encoding: 'utf8',
    });
    expect(JSON.parse(stdout)).toMatchObject({ level: 'fatal', msg: 'last words' });
  });

  test('that finds no room on the disk does not end the process', () => {
    const source = (file: string): string =>
      JSON.stringify(new URL(`../../src/${file}.ts`, import.meta.url).href);
    const program = `
      import { createLog } from ${source('telemetry/logger')};
      import { createRedactor } from ${source('telemetry/mask')};
      const log = createLog({ level: 'info', redactor: createRedactor() });
      for (let line = 0; line < 100_000; line += 1) log.info({ line }, 'nobody reads this');
      process.exit(7);`;
    const full = openSync('/dev/full', 'w');
    const { status } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
      stdio: ['ignore', full, 'inherit'],
    });
    closeSync(full);
    expect(status).toBe(7);
  });
});

describe('errorFields', () => {
  test('gives name, message, code, status and the messages of the causes, and nothing else', () => {
    const cause = Object.assign(new TypeError('bad host', { cause: new Error('no DNS') }), {
      secret: 'hunter22',
    });
    const error = Object.assign(new Error('call failed', { cause }), {
      code: 'ECONNREFUSED',
      status: 503,
      headers: { authorization: 'x' },
    });
    expect(errorFields(error)).toEqual({
      error: 'call failed',
      errorName: 'Error',
      errorCode: 'ECONNREFUSED',
      errorStatus: 503,
      errorCauses: ['TypeError: bad host', 'Error: no DNS'],
    });
  });

  test('reads what an aggregate of connection attempts holds', () => {
    const error = new AggregateError([
      new Error('connect ECONNREFUSED ::1:1'),
      new Error('connect ECONNREFUSED 127.0.0.1:1'),
    ]);
    expect(errorFields(error).errorCauses).toEqual([
      'Error: connect ECONNREFUSED ::1:1',
      'Error: connect ECONNREFUSED 127.0.0.1:1',
    ]);
  });

  test('ends on a cause that is its own cause', () => {
    const error = new Error('round');
    error.cause = error;
    expect(errorFields(error)).toEqual({ error: 'round', errorName: 'Error' });
  });

  test('takes anything that was thrown', () => {
    expect(errorFields('just text')).toEqual({ error: 'just text', errorName: 'string' });
    expect(errorFields(undefined)).toEqual({ error: 'undefined', errorName: 'undefined' });
  });

  test('a bug also says where it was thrown', () => {
    expect(bugFields(new TypeError('x is not a function')).errorStack[0]).toContain('log.test.ts');
    expect(errorFields(new TypeError('x'))).not.toHaveProperty('errorStack');
  });
});

test('every value of a line passes the redactor, also in a list', () => {
  const redactor = createRedactor();
  redactor.add(['p"ss/word+1']);
  const { log, lines } = recorded({ redactor });
  const said = 'no p"ss/word+1';
  log.info({ said, causes: [said, 'other'], url: encodeURIComponent(said) }, 'failed');
  expect(lines()).toMatchObject([{ said: 'no ***', causes: ['no ***', 'other'], url: 'no ***' }]);
});

test.each(['"level":', 'victim-team', 'namespace', 'reconciled', '"},{"'])(
  'lines stay what they are about, whatever a tenant calls its key: %s',
  (key) => {
    const redactor = createRedactor();
    redactor.add([key]);
    const { log, lines } = recorded({ redactor });
    const path = '/apis/pipewright.dev/v1alpha1/namespaces/victim-team/pipesettings';
    const said = { kind: 'PipeSettings', namespace: 'victim-team', name: 'namespace', path };
    log.info(said, 'reconciled');
    expect(lines()).toMatchObject([{ level: 'info', ...said, msg: 'reconciled' }]);
  },
);

test('what is long is cut, once no secret is in it any more', () => {
  const redactor = createRedactor();
  const key = 'k'.repeat(40).replaceAll('kk', 'k7');
  redactor.add([key]);
  const { log, lines } = recorded({ redactor });
  log.error(errorFields(new Error(`${'x'.repeat(1010)}${key}${'y'.repeat(5000)}`)), 'failed');
  const [{ error }] = lines() as [{ error: string }];
  expect(error).toBe(`${'x'.repeat(1010)}***${'y'.repeat(11)}…`);
});
