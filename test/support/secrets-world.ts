import type { RequestCall } from '../../src/kube/client/exchange.ts';
import { objectPath } from '../../src/kube/resource.ts';
import { SECRET } from '../../src/kube/secrets/secret-state.ts';
import { createSecrets, type Secrets } from '../../src/kube/secrets/secrets.ts';
import { FakeClock, settle } from './fake-clock.ts';
import { type Fate, MemoryKube } from './memory-kube.ts';
import { recordingLog } from './recording-log.ts';

export const path = objectPath(SECRET, 'ingest', 'api');
export const KEYS = ['keyId'];
export const value = (text: string) => ({ type: 'Opaque', data: { keyId: btoa(text) } });

interface World {
  readonly kube: MemoryKube;
  readonly clock: FakeClock;
  readonly secrets: Secrets;
  readonly changes: string[];
  readonly stop: AbortController;
  readonly messages: string[];
  /** GETs of Secrets by name so far. */
  readonly gets: () => number;
}

export function world(fate: (call: RequestCall) => Fate = () => ({})): World {
  const kube = new MemoryKube();
  const clock = new FakeClock();
  const stop = new AbortController();
  const changes: string[] = [];
  const { log, messages } = recordingLog();
  const secrets = createSecrets({
    client: kube.client({ clock, fate }),
    clock,
    log,
    signal: stop.signal,
    onChange: (namespace, name) => changes.push(`${namespace}/${name}`),
  });
  const gets = (): number => kube.calls.filter((call) => isGet(call)).length;
  return { kube, clock, secrets, changes, stop, messages, gets };
}

/** A GET of one Secret, not a list. */
export function isGet(call: RequestCall): boolean {
  return call.method === 'GET' && call.path.split('/').at(-2) === 'secrets';
}

export async function present(fate?: (call: RequestCall) => Fate): Promise<World> {
  const made = world(fate);
  made.kube.set(path, value('one'));
  made.secrets.refer('a', 'ingest', 'api');
  await settle();
  return made;
}
