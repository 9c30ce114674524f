import { Queue } from '../../src/controller/queue.ts';
import { FakeClock } from './fake-clock.ts';

export function aQueue(): { clock: FakeClock; queue: Queue; stop: AbortController } {
  const clock = new FakeClock();
  return { clock, queue: new Queue({ clock }), stop: new AbortController() };
}

/** The next key if one is there now; the taker does not stay. */
export async function takeNow(queue: Queue): Promise<string | undefined> {
  const leave = new AbortController();
  const taken = queue.take(leave.signal);
  leave.abort();
  return taken;
}

export async function drain(queue: Queue): Promise<string[]> {
  const keys: string[] = [];
  for (let key = await takeNow(queue); key !== undefined; key = await takeNow(queue)) {
    keys.push(key);
    queue.done(key);
  }
  return keys;
}
