import { judge } from '../../../src/api/verdict.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { client, put } from './client.ts';
import { type Answer, httpApi } from './servers.ts';

const CLOCK = new FakeClock('2026-01-01T00:00:00Z');
export const NOW = CLOCK.now();

/** What a call comes to that a real server answers so; by itself a write to a pipe. */
export async function judged(answer: Answer, { write = true, of = 'pipe' } = {}) {
  const { base } = await httpApi(answer);
  return judge(await client(base, { clock: CLOCK }).call(put), { write, of });
}
