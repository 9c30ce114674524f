import { open } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';

/** One finished request to the API server, as its audit log has it. */
export interface AuditEntry {
  readonly user: string;
  readonly verb: string;
  /** Plural; empty for a path that is no resource. */
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly code: number;
  /** When the request came in and when its answer was complete, epoch milliseconds. */
  readonly received: number;
  readonly completed: number;
}

/** Every request but the server's own and the probes, when it is answered; a watch when it ends. */
export const auditPolicy = JSON.stringify({
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived', 'ResponseStarted', 'Panic'],
  rules: [
    { level: 'None', users: ['system:apiserver'] },
    { level: 'None', nonResourceURLs: ['/*'] },
    { level: 'Metadata' },
  ],
});

const CHUNK = 1 << 20;
const LOGGED_WITHIN_MS = 30_000;
const MARK = 'audit-mark-';

/** A log that grows: each line is read once, however often it is asked for. */
export class AuditLog {
  readonly #file: string;
  readonly #entries: AuditEntry[] = [];
  #offset: number;
  #rest = Buffer.alloc(0);
  #reading: Promise<void> = Promise.resolve();

  /** `from`: what stands before this byte is no business of the reader's. */
  constructor(file: string, { from = 0 }: { readonly from?: number } = {}) {
    this.#file = file;
    this.#offset = from;
  }

  /**
   * Everything logged of the requests answered before this call. `mark` sends a request for the
   * namespace that it is told: when that one is in the log, so are those before it.
   */
  async complete(mark: (name: string) => Promise<unknown>): Promise<AuditEntry[]> {
    const name = `${MARK}${crypto.randomUUID()}`;
    await mark(name);
    const deadline = performance.now() + LOGGED_WITHIN_MS;
    for (;;) {
      await (this.#reading = this.#reading.then(() => this.#readOn()));
      if (this.#entries.some((entry) => entry.name === name))
        return this.#entries.filter((entry) => !entry.name.startsWith(MARK));
      if (performance.now() > deadline)
        throw new Error(`The API server has not logged a request for ${name} in ${this.#file}`);
      await pause(10);
    }
  }

  async #readOn(): Promise<void> {
    await using handle = await open(this.#file, 'r');
    for (;;) {
      const { bytesRead, buffer } = await handle.read(Buffer.alloc(CHUNK), 0, CHUNK, this.#offset);
      if (bytesRead === 0) return;
      this.#offset += bytesRead;
      const text = Buffer.concat([this.#rest, buffer.subarray(0, bytesRead)]);
      const end = text.lastIndexOf('\n') + 1;
      this.#rest = Buffer.from(text.subarray(end));
      // The first one may have begun before this reader did.
      for (const line of text.subarray(0, end).toString('utf8').split('\n'))
        if (line.startsWith('{"kind":"Event"')) this.#entries.push(entryOf(line));
    }
  }
}

interface RawEntry {
  readonly user: { readonly username: string };
  readonly verb: string;
  readonly objectRef?: Partial<Pick<AuditEntry, 'resource' | 'subresource' | 'namespace' | 'name'>>;
  readonly responseStatus?: { readonly code?: number };
  readonly requestReceivedTimestamp: string;
  readonly stageTimestamp: string;
}

function entryOf(line: string): AuditEntry {
  const { user, verb, objectRef, ...raw } = JSON.parse(line) as RawEntry;
  const { resource = '', subresource = '', namespace = '', name = '' } = objectRef ?? {};
  return {
    user: user.username,
    verb,
    resource,
    subresource,
    namespace,
    name,
    code: raw.responseStatus?.code ?? 0,
    received: Date.parse(raw.requestReceivedTimestamp),
    completed: Date.parse(raw.stageTimestamp),
  };
}
