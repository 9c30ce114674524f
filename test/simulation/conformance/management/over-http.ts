import { Agent, request } from 'node:http';
import { startSimulator } from '../../../simulator/simulator.ts';
import type { Simulator } from '../../../simulator/types.ts';
import { eventually } from '../../../support/eventually.ts';
import type { WireRequest } from '../../network/wire.ts';
import {
  type Answer,
  type Ask,
  type Existing,
  KEY,
  type ManagementUnderTest,
} from './under-test.ts';
import { bodyOf, wireRequest } from './wire.ts';

/** The API of test/simulator over its sockets, in real time. */
export async function overHttp(
  existing: Existing = {},
): Promise<ManagementUnderTest & { stop(): Promise<void> }> {
  const simulator = await startSimulator({ ...existing, keys: { [KEY.id]: KEY.secret } });
  const agent = new Agent({ keepAlive: true });
  const { port } = new URL(simulator.url);
  const exchange = (ask: Ask): Promise<Answer> => exchanged(wireRequest(ask), { agent, port });

  async function send(ask: Ask): Promise<Answer> {
    script(simulator, ask, undefined);
    const answer = await exchange(ask);
    simulator.clear();
    return answer;
  }

  async function begin(ask: Ask): Promise<{ finish(): Promise<Answer> }> {
    script(simulator, ask, { hold: true });
    const answer = exchange(ask);
    await simulator.waitForCalls(simulator.callCount() + 1);
    simulator.clear();
    return {
      finish: () => {
        simulator.release();
        return answer;
      },
    };
  }

  return {
    send,
    begin,
    play: simulator.play,
    now: () => Date.now(),
    later: async (_, check) => {
      await eventually(check);
    },
    setKey: simulator.setKey,
    settingsOf: simulator.settingsOf,
    setSettings: simulator.setSettings,
    organization: simulator.organization,
    setOrganization: simulator.setOrganization,
    setActivity: simulator.setActivity,
    stop: () => {
      agent.destroy();
      return simulator.stop();
    },
  };
}

/**
 * Makes what is special about a call hold for the next one; `clear` takes back what the next one
 * was refused too early for.
 */
function script(
  { next }: Simulator,
  { once: { answer, ...play } = {} }: Ask,
  held: { hold: true } | undefined,
): void {
  const oddity = answer ?? held;
  next(oddity ? { ...oddity, play } : { play });
}

function exchanged(
  { method, path, headers, body }: WireRequest,
  { agent, port }: { agent: Agent; port: string },
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = { ...headers, 'content-length': Buffer.byteLength(body) };
    const call = request(
      { agent, port, host: '127.0.0.1', method, path, headers: sent },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8');
          const shown = Object.entries(response.headers).map(([name, value]) => [
            name,
            String(value),
          ]);
          resolve({
            status: response.statusCode ?? 0,
            headers: Object.fromEntries(shown),
            text,
            body: bodyOf(text),
          });
        });
      },
    );
    call.on('error', reject).end(body);
  });
}
