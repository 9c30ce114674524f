import { Limiter } from '../../../src/api/limiter.ts';
import type { createKinds } from '../../../src/kinds/index.ts';
import { createCredentials } from '../../../src/kinds/shared/credentials.ts';
import type { Stage } from './stage.ts';

type KindContext = Parameters<typeof createKinds>[0];
type Call = KindContext['api']['call'];
export type Request = Parameters<Call>[0];
export type Reply = Awaited<ReturnType<Call>>;

export const BASE_URL = 'https://api.test';

export interface ProcessOptions {
  readonly planOnly?: boolean;
  readonly limits?: Partial<ConstructorParameters<typeof Limiter>[0]>;
}

type Kept = Pick<Stage, 'clock' | 'secrets' | 'woken' | 'announced' | 'warned' | 'guarded'>;

/** A process with a real limiter and real credentials, and nothing else. */
export function contextOf(kept: Kept, options: ProcessOptions, call: Call): KindContext {
  const { clock, secrets, woken, announced, warned, guarded } = kept;
  const { planOnly = false, limits } = options;
  const enqueue = (id: string, priority: string) => void woken.push(`${id} ${priority}`);
  const rate = { calls: 0, perMs: 1 };
  const credentials = createCredentials({
    secrets,
    baseUrl: BASE_URL,
    guard: (values) => {
      guarded.push(values);
      return () => void guarded.splice(guarded.indexOf(values), 1);
    },
  });
  const quiet = () => undefined;
  const log = { trace: quiet, debug: quiet, info: quiet, error: quiet, fatal: quiet };
  const pace = { rate, rateTotal: rate, inFlight: 4, clock };
  return {
    api: { baseUrl: BASE_URL, call, close: async () => undefined },
    limiter: new Limiter({ ...pace, wake: (id) => enqueue(id, 'woken'), ...limits }),
    secrets,
    readCredential: (...read) => credentials.read(...read),
    clock,
    enqueue,
    onSecretChange: (listener) => void secrets.listeners.push(listener),
    leaveSecret: (secret) => credentials.forget(secret),
    changed: quiet,
    announce: ({ reason, note }) => void announced.push(`${reason}: ${note}`),
    log: { ...log, warn: (fields) => void warned.push(fields) },
    apiTimeoutMs: 35_000,
    planOnly,
    cleanupDeadlineMs: 600_000,
  };
}

type Ids = readonly { readonly id: string }[];
type Change = { readonly [How in 'add' | 'remove']?: Ids };
/** `+a` and `-b` for each endpoint. */
export function changed({ add = [], remove = [] }: Change): string[] {
  return [...add.map(({ id }) => `+${id}`), ...remove.map(({ id }) => `-${id}`)];
}

/** `observe`, `name Acme` or `+a -b`: what a PATCH of an organization is. */
export function patchOf(body: { readonly name?: string; readonly privateEndpoints?: Change }) {
  const { name, privateEndpoints = {} } = body;
  return name === undefined ? changed(privateEndpoints).join(' ') || 'observe' : `name ${name}`;
}

/** HTTP 200 with this result. */
export function ok(result: Readonly<Record<string, unknown>>, requestId = 'req-1'): Reply {
  return { answered: true, httpStatus: 200, requestId, result };
}

/** Lost: nobody knows what it did. Unsent: not one byte left. A number: an error in JSON. */
export function bad(what: number | 'lost' | 'unsent', more: object = {}): Reply {
  const cause = 'connection reset';
  if (typeof what !== 'number') return { answered: false, sent: what === 'lost', cause };
  const isError = what >= 400;
  const said = isError ? { error: `no ${what}` } : { defect: 'is not JSON' };
  return { answered: true, httpStatus: what, requestId: 'req-1', ...said, ...more };
}

/** As the failure table names it. */
export const answer = (text: string): Reply => bad(Number(text) || (text as 'lost'));

type Values = Readonly<Record<string, string>>;
type State =
  | { readonly state: 'unknown' | 'absent' | 'forbidden' }
  | { readonly state: 'present'; readonly resourceVersion: string };

export const KEY = { keyId: 'key-id-7731', keySecret: 'key-secret-94620815' };
const GOOD = { version: 1, type: 'Opaque', values: KEY };

/** The Secrets of a cluster; all that nobody has set hold one good key. */
export class Secrets {
  readonly listeners: ((secret: string) => void)[] = [];
  /** Secrets that are asked for again and again, by who waits for them. */
  readonly awaited = new Map<string, string>();
  readonly forgotten: string[] = [];
  readonly anew: string[] = [];
  /** What each call was made with. */
  readonly used: string[] = [];
  readonly #set = new Map<string, { version: number; type: string; values: Values | string }>();
  readonly #seen = new Map<string, State>();

  /** A text: it may not be read, and why. Nobody hears of it before the next `read`. */
  set(name: string, values: Values | string | undefined, type = 'Opaque'): void {
    const key = `ingest/${name}`;
    const { version } = this.#set.get(key) ?? { version: 1 };
    this.#set.set(key, { version: version + 1, type, values: values ?? 'absent' });
  }

  async read(key: string, how?: 'anew') {
    if (how) this.anew.push(key);
    const found = this.#stands(key);
    const before = this.#seen.get(key);
    const { state } = found;
    const now = state === 'present' ? { state, resourceVersion: found.resourceVersion } : { state };
    this.#seen.set(key, now);
    if (before && JSON.stringify(before) !== JSON.stringify(now))
      for (const listener of this.listeners) listener(key);
    return found;
  }

  state(key: string): State {
    return this.#seen.get(key) ?? { state: 'unknown' };
  }

  awaitChange(id: string, secret: string | undefined): void {
    if (secret === undefined) this.awaited.delete(id);
    else this.awaited.set(id, secret);
  }

  forget(key: string): void {
    this.forgotten.push(key);
    this.#seen.delete(key);
  }

  #stands(key: string) {
    const { version, type, values } = this.#set.get(key) ?? GOOD;
    if (values === 'absent') return { state: 'absent' } as const;
    if (typeof values === 'string') return { state: 'forbidden', message: values } as const;
    const base64 = (value: string) => Buffer.from(value).toString('base64');
    const fields = Object.entries(values).map(([name, value]) => [name, base64(value)]);
    const [namespace = '', name = ''] = key.split('/');
    const resourceVersion = String(version);
    const metadata = { name, namespace, uid: key, resourceVersion, creationTimestamp: '' };
    const secret = { metadata, type, data: Object.fromEntries(fields) as Values };
    return { state: 'present', resourceVersion, secret } as const;
  }
}
