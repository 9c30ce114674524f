import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Answered, basic, caller, PIPE, PIPE_PATH, type Send } from '../simulator/caller.ts';
import {
  type Fault,
  type Simulator,
  type SimulatorOptions,
  startSimulator,
} from '../simulator/simulator.ts';
import { BODY_KINDS, TRANSPORTS } from '../simulator/types.ts';

const BODY = { engine_max_threads: 9 };

let simulator: Simulator | undefined;
afterEach(() => simulator?.stop());

async function start(
  options: SimulatorOptions = {},
): Promise<{ simulator: Simulator; send: Send }> {
  const started = await startSimulator(options);
  simulator = started;
  return { simulator: started, send: caller(started.url) };
}

/** The simulator's time stands still until the test lets it pass; sockets go on as they do. */
function stopTime(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
}

const STATUSES = [
  400, 401, 403, 404, 408, 409, 410, 422, 423, 424, 425, 429, 500, 502, 503, 504, 301, 302, 307,
  308, 418,
];

describe('a status', () => {
  it.each(STATUSES)(
    '%d is answered once in the error envelope, and nothing is stored',
    async (status) => {
      const { simulator, send } = await start();
      simulator.next({ status });
      const answered = await send('PUT', PIPE_PATH, BODY);
      expect(answered.status).toBe(status);
      expect(answered.body).toMatchObject({
        status,
        error: expect.stringMatching(/^[A-Z_0-9]+: /),
      });
      expect(answered.body.requestId).toBe(simulator.log[0]?.requestId);
      expect(simulator.settingsOf(PIPE)).toBeUndefined();
      expect((await send('PUT', PIPE_PATH, BODY)).status).toBe(200);
    },
  );

  it.each([301, 302, 307, 308])(
    '%d points at the simulator itself, so that a caller who follows is seen',
    async (status) => {
      const { simulator, send } = await start();
      simulator.next({ status });
      const { headers } = await send('PUT', PIPE_PATH, BODY);
      expect(headers.get('location')).toBe(`${simulator.url}/redirected${PIPE_PATH}`);
    },
  );

  it('takes its error text and headers from whoever asks for it', async () => {
    const { simulator, send } = await start();
    simulator.next({
      status: 503,
      error: 'Service is idle',
      headers: { 'retry-after': '7', location: 'nowhere' },
    });
    const { headers, body } = await send('PUT', PIPE_PATH, BODY);
    expect(body.error).toBe('Service is idle');
    expect(headers.get('retry-after')).toBe('7');
    expect(headers.get('location')).toBe('nowhere');
  });

  it.each([
    [{ status: 504 }, false],
    [{ status: 504, applied: true }, true],
    [{ status: 200, body: 'empty' }, true],
    [{ status: 200, body: 'empty', applied: false }, false],
  ] as const)('%o stores the settings: %s', async (fault, applied) => {
    const { simulator, send } = await start();
    simulator.next(fault);
    await send('PUT', PIPE_PATH, BODY);
    expect(simulator.settingsOf(PIPE)).toEqual(applied ? BODY : undefined);
    expect(simulator.log[0]?.applied).toBe(applied);
  });

  it('with appliesAfterMs does the work when the answer has long left', async () => {
    const { simulator, send } = await start();
    simulator.next({ status: 504, appliesAfterMs: 300 });
    stopTime();
    expect((await send('PUT', PIPE_PATH, BODY)).status).toBe(504);
    vi.advanceTimersByTime(299);
    expect(simulator.settingsOf(PIPE)).toBeUndefined();
    vi.advanceTimersByTime(1);
    expect(simulator.settingsOf(PIPE)).toEqual(BODY);
    expect(simulator.log[0]).toMatchObject({ status: 504, applied: true });
  });
});

describe('a body', () => {
  const bodies: Record<(typeof BODY_KINDS)[number], (answered: Answered) => void> = {
    envelope: ({ body }) => expect(Object.keys(body)).toEqual(['status', 'requestId', 'result']),
    'no-request-id': ({ body }) =>
      expect(Object.keys(body).toSorted()).toEqual(['result', 'status']),
    'no-status': ({ body }) =>
      expect(Object.keys(body).toSorted()).toEqual(['requestId', 'result']),
    text: ({ text, headers }) => {
      expect(text).toBe('INTERNAL_ERROR: simulated');
      expect(headers.get('content-type')).toBe('text/plain');
    },
    html: ({ text, headers }) => {
      expect(text).toMatch(/^<!DOCTYPE html>/);
      expect(headers.get('content-type')).toBe('text/html');
    },
    empty: ({ text, headers }) => {
      expect(text).toBe('');
      expect(headers.get('content-length')).toBe('0');
    },
    truncated: ({ text }) => {
      expect(text).toMatch(/^\{"status":200,/);
      expect(() => JSON.parse(text)).toThrow('JSON');
    },
    null: ({ text }) => expect(text).toBe('null'),
    'wrong-type': ({ body }) =>
      expect(body).toMatchObject({ status: '200', requestId: 7, result: ['done'] }),
    'no-result': ({ body }) => expect(Object.keys(body)).toEqual(['status', 'requestId']),
    'error-with-200': ({ body }) =>
      expect(body).toMatchObject({ status: 200, error: 'INTERNAL_ERROR: simulated' }),
    'result-and-error': ({ body }) =>
      expect(body).toMatchObject({ result: {}, error: { code: 'INTERNAL_ERROR' } }),
    'proto-keys': ({ body }) => {
      expect(Object.hasOwn(body, '__proto__')).toBe(true);
      expect(Object.hasOwn(body.result ?? {}, '__proto__')).toBe(true);
    },
    megabytes: ({ text, body }) => {
      expect(text.length).toBeGreaterThan(8_000_000);
      expect(body.status).toBe(200);
    },
  };

  it.each(BODY_KINDS)('%s with 200', async (kind) => {
    const { simulator, send } = await start();
    simulator.next({ status: 200, body: kind });
    const answered = await send('PUT', PIPE_PATH, BODY);
    expect(answered.status).toBe(200);
    bodies[kind](answered);
    const [call] = simulator.log;
    expect(call?.requestId === undefined).toBe(!answered.text.includes(call?.requestId ?? 'none'));
  });

  it.each(BODY_KINDS)('%s with 500', async (kind) => {
    const { simulator, send } = await start();
    simulator.next({ status: 500, body: kind });
    const { status, text } = await send('PUT', PIPE_PATH, BODY);
    expect(status).toBe(500);
    expect(text).not.toContain('engine_max_threads');
  });
});

describe('transport', () => {
  const applied: Record<(typeof TRANSPORTS)[number], boolean> = {
    'reset-before': false,
    'reset-after': true,
    'no-answer': false,
    drip: true,
    endless: true,
    bomb: true,
    truncated: true,
  };
  /** Of these there is no end to wait for. */
  const unending: readonly string[] = ['drip', 'no-answer'];
  it.each(TRANSPORTS)(
    '%s gives no whole answer within its time, and says what it did',
    async (transport) => {
      const { simulator, send } = await start();
      simulator.next({ transport });
      await expect(readSome(simulator, unending.includes(transport) ? 150 : 15_000)).resolves.toBe(
        { drip: 'under way', endless: 'too long', bomb: 'too long', 'no-answer': 'under way' }[
          transport as string
        ] ?? 'broken off',
      );
      expect(simulator.log[0]).toMatchObject({ fate: transport, applied: applied[transport] });
      expect(simulator.settingsOf(PIPE)).toEqual(applied[transport] ? BODY : undefined);
      expect((await send('PUT', PIPE_PATH, BODY)).status).toBe(200);
      await expect.poll(() => simulator.inFlight().now).toBe(0);
    },
  );

  it('no-answer may have done the work all the same', async () => {
    const { simulator } = await start();
    simulator.next({ transport: 'no-answer', applied: true });
    await readSome(simulator, 150);
    expect(simulator.settingsOf(PIPE)).toEqual(BODY);
  });

  it('refuses connections while it is down, and keeps port, state and log', async () => {
    const { simulator, send } = await start();
    await send('PUT', PIPE_PATH, BODY);
    await simulator.down();
    await expect(send('PUT', PIPE_PATH, BODY)).rejects.toMatchObject({
      cause: { code: 'ECONNREFUSED' },
    });
    await simulator.up();
    expect((await send('PUT', PIPE_PATH, { object_storage_concurrency: 2 })).status).toBe(200);
    expect(simulator.settingsOf(PIPE)).toEqual({ ...BODY, object_storage_concurrency: 2 });
    expect(simulator.log).toHaveLength(2);
  });

  it('comes back by itself when told so, but never once stopped', async () => {
    const { simulator, send } = await start();
    await simulator.down({ forMs: 20 });
    await expect
      .poll(() =>
        send('PUT', PIPE_PATH, BODY).then(
          ({ status }) => status,
          () => 0,
        ),
      )
      .toBe(200);
    await simulator.stop();
    await expect(simulator.up()).rejects.toThrow('stopped');
  });
});

describe('time', () => {
  it('slowMs holds the answer back, not the work', async () => {
    const { simulator, send } = await start();
    simulator.next({ slowMs: 60 });
    stopTime();
    const answer = send('PUT', PIPE_PATH, BODY);
    await simulator.waitForCalls(1);
    expect(simulator.settingsOf(PIPE)).toEqual(BODY);
    vi.advanceTimersByTime(59);
    expect(simulator.log[0]?.status).toBeUndefined();
    vi.advanceTimersByTime(1);
    expect(simulator.log[0]?.status).toBe(200);
    expect((await answer).status).toBe(200);
  });

  it('latencyMs is for every call', async () => {
    const { simulator, send } = await start({ latencyMs: 30 });
    stopTime();
    const answers = [send('PUT', PIPE_PATH, BODY), send('PUT', PIPE_PATH, BODY)];
    await simulator.waitForCalls(2);
    vi.advanceTimersByTime(29);
    expect(simulator.log.map(({ status }) => status)).toEqual([undefined, undefined]);
    vi.advanceTimersByTime(1);
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200]);
    expect(simulator.inFlight().highest).toBe(2);
  });

  it('hold keeps the answer until release', async () => {
    const { simulator, send } = await start();
    simulator.next({ hold: true });
    const answer = send('PUT', PIPE_PATH, BODY);
    await simulator.waitForCalls(1);
    expect(simulator.inFlight('key')).toEqual({ now: 1, highest: 1 });
    simulator.release();
    expect((await answer).status).toBe(200);
    expect(simulator.inFlight('key')).toEqual({ now: 0, highest: 1 });
  });

  it.each<Fault>([{ hold: true }, { slowMs: 60_000 }, { transport: 'no-answer' }])(
    'a caller that leaves during %o is no longer in flight',
    async (fault) => {
      const { simulator, send } = await start();
      simulator.next(fault);
      const leaving = new AbortController();
      const answer = send('PUT', PIPE_PATH, BODY, leaving.signal);
      await simulator.waitForCalls(1);
      leaving.abort();
      await expect(answer).rejects.toThrow('aborted');
      await expect.poll(() => simulator.inFlight()).toEqual({ now: 0, highest: 1 });
      expect(simulator.log[0]?.fate).toBe('transport' in fault ? 'no-answer' : 'client-gone');
    },
  );
});

describe('the script', () => {
  it('plays turns in the order said, then what always holds, the one said last first, until cleared', async () => {
    const { simulator, send } = await start();
    const status = async (): Promise<number> => (await send('PUT', PIPE_PATH, BODY)).status;
    simulator.always({ status: 500 });
    simulator.always({ status: 503 });
    simulator.next({ status: 401 }, { times: 2 });
    simulator.next({ status: 409 });
    expect([
      await status(),
      await status(),
      await status(),
      await status(),
      await status(),
    ]).toEqual([401, 401, 409, 503, 503]);
    simulator.clear();
    expect(await status()).toBe(200);
  });

  it.each([
    [{ method: 'GET' }, 200],
    [{ method: 'PUT' }, 500],
    [{ pathIncludes: '/pipes/pipe/' }, 500],
    [{ pathIncludes: '/pipes/other/' }, 200],
    [{ keyId: 'key' }, 500],
    [{ keyId: 'other' }, 200],
    [{ method: 'PUT', keyId: 'other' }, 200],
  ])('a fault for %o leaves a PUT of key to pipe with %d', async (match, status) => {
    const { simulator, send } = await start();
    simulator.always({ status: 500 }, match);
    expect((await send('PUT', PIPE_PATH, BODY)).status).toBe(status);
  });
});

/** Reads an answer for as long as it is worth it, from when the call has arrived. */
async function readSome(
  { url, waitForCalls }: Simulator,
  patienceMs: number,
): Promise<'whole' | 'under way' | 'too long' | 'broken off'> {
  const leaving = new AbortController();
  let late = false;
  let timer: NodeJS.Timeout | undefined;
  const arrived = waitForCalls(1).then(() => {
    timer = setTimeout(() => {
      late = true;
      leaving.abort();
    }, patienceMs);
  });
  try {
    const response = await fetch(`${url}${PIPE_PATH}`, {
      method: 'PUT',
      headers: { authorization: basic('key', 'secret'), 'content-type': 'application/json' },
      body: JSON.stringify(BODY),
      signal: leaving.signal,
    });
    let size = 0;
    for await (const chunk of response.body ?? []) {
      size += (chunk as Uint8Array).length;
      if (size > 3_000_000) return 'too long';
    }
    return 'whole';
  } catch {
    return late ? 'under way' : 'broken off';
  } finally {
    await arrived;
    clearTimeout(timer);
    leaving.abort();
  }
}
