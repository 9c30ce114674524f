type Listener = (secret: string) => void;
type Values = Readonly<Record<string, string>>;
type State =
  | { readonly state: 'unknown' | 'absent' | 'forbidden' }
  | { readonly state: 'present'; readonly resourceVersion: string };

/** The Secrets of a cluster; all that nobody has set hold one good key. */
export class Secrets {
  readonly listeners: Listener[] = [];
  /** Secrets that are asked for again and again, by who waits for them. */
  readonly awaited = new Map<string, string>();
  readonly forgotten: string[] = [];
  /** What each call was made with. */
  readonly used: string[] = [];
  readonly #set = new Map<string, { version: number; type: string; values: Values | string }>();
  readonly #seen = new Map<string, State>();

  /** A text: it may not be read, and why. */
  set(name: string, values: Values | string | undefined, type = 'Opaque'): void {
    const key = `ingest/${name}`;
    const { version } = this.#set.get(key) ?? { version: 1 };
    this.#set.set(key, { version: version + 1, type, values: values ?? 'absent' });
  }

  /** Reads it without any call, as for an object that waits for it. */
  poll(name: string): void {
    this.#look(`ingest/${name}`);
  }

  read(key: string) {
    return Promise.resolve(this.#look(key));
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

  #look(key: string) {
    const found = this.#stands(key);
    const before = this.#seen.get(key);
    const { state } = found;
    const now: State =
      state === 'present' ? { state, resourceVersion: found.resourceVersion } : { state };
    this.#seen.set(key, now);
    if (before && JSON.stringify(before) !== JSON.stringify(now))
      for (const listener of this.listeners) listener(key);
    return found;
  }

  #stands(key: string) {
    const { version, type, values } = this.#set.get(key) ?? GOOD;
    if (values === 'absent') return { state: 'absent' } as const;
    if (typeof values === 'string') return { state: 'forbidden', message: values } as const;
    const [namespace = '', name = ''] = key.split('/');
    const data = Object.fromEntries(
      Object.entries(values).map(([field, value]) => [
        field,
        Buffer.from(value).toString('base64'),
      ]),
    );
    const resourceVersion = String(version);
    const creationTimestamp = '2026-01-01T00:00:00Z';
    const metadata = { name, namespace, uid: key, resourceVersion, creationTimestamp };
    return { state: 'present', resourceVersion, secret: { metadata, type, data } } as const;
  }
}

export const KEY = { keyId: 'key-id-7731', keySecret: 'key-secret-94620815' };
const GOOD = { version: 1, type: 'Opaque', values: KEY };
