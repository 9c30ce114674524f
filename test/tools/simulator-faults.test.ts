import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { basic, PIPE, PIPE_PATH } from '../simulator/caller.ts';
import type { Fault, Simulator } from '../simulator/simulator.ts';
import { TRANSPORTS } from '../simulator/types.ts';
import { openSimulator } from '../support/open-simulator.ts';

const BODY = { engine_max_threads: 9 };

/** The simulator's time stands still until the test lets it pass; sockets go on as they do. */
function stopTime(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
}

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
      const { simulator, send } = await openSimulator();
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
    const { simulator } = await openSimulator();
    simulator.next({ transport: 'no-answer', applied: true });
    await readSome(simulator, 150);
    expect(simulator.settingsOf(PIPE)).toEqual(BODY);
  });

  it('refuses connections while it is down, and keeps port, state and log', async () => {
    const { simulator, send } = await openSimulator();
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
    const { simulator, send } = await openSimulator();
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
  it('appliesAfterMs does the work when the answer has long left', async () => {
    const { simulator, send } = await openSimulator();
    simulator.next({ status: 504, appliesAfterMs: 300 });
    stopTime();
    expect((await send('PUT', PIPE_PATH, BODY)).status).toBe(504);
    vi.advanceTimersByTime(299);
    expect(simulator.settingsOf(PIPE)).toBeUndefined();
    vi.advanceTimersByTime(1);
    expect(simulator.settingsOf(PIPE)).toEqual(BODY);
    expect(simulator.log[0]).toMatchObject({ status: 504, applied: true });
  });

  it('slowMs holds the answer back, not the work', async () => {
    const { simulator, send } = await openSimulator();
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
    const { simulator, send } = await openSimulator({ latencyMs: 30 });
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
    const { simulator, send } = await openSimulator();
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
      const { simulator, send } = await openSimulator();
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
