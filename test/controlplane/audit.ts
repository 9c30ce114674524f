import { open } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';

/** One finished request to the API server, as its audit log has it. */
export interface AuditEntry {
  readonly user: string;
  readonly userAgent: string;
  readonly verb: string;
  /** Plural; empty for a path that is no resource. */
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly code: number;
  readonly requestURI: string;
  /** When the request came in and when its answer was complete, epoch milliseconds. */
  readonly received: number;
  readonly completed: number;
}

/**
 * Every request but the server's own and the probes, once, when it is answered; a watch when it
 * ends.
 */
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

/** Flags for kube-apiserver that make it write the log. */
export function auditFlags({
  policyFile,
  logFile,
}: {
  readonly policyFile: string;
  readonly logFile: string;
}) {
  return {
    'audit-policy-file': policyFile,
    'audit-log-path': logFile,
    // Rotation would take entries away from under the readers.
    'audit-log-maxsize': '4096',
  };
}

/** A log that grows: each line is read once, however often it is asked for. */
export class AuditLog {
  readonly #file: string;
  readonly #entries: AuditEntry[] = [];
  #offset: number;
  /**
   * The beginning of a line whose end has not been written; undefined where a line began before
   * this reader did.
   */
  #rest: Buffer | undefined;
  #reading: Promise<void> = Promise.resolve();

  /** `from`: what stands before this byte is no business of the reader's. */
  constructor(file: string, { from = 0 }: { readonly from?: number } = {}) {
    this.#file = file;
    this.#offset = Math.max(0, from - 1);
    this.#rest = from === 0 ? Buffer.alloc(0) : undefined;
  }

  /**
   * Everything logged so far. An entry stands here a moment after its request was answered: see
   * `complete`.
   */
  async read(): Promise<readonly AuditEntry[]> {
    this.#reading = this.#reading.then(() => this.#readOn());
    await this.#reading;
    return this.#entries;
  }

  /**
   * Everything logged of the requests answered before this call. `mark` sends a request with the
   * name that it is given (as the name of a namespace); when that one is in the log, so are those
   * before it.
   */
  async complete(mark: (name: string) => Promise<unknown>): Promise<AuditEntry[]> {
    const name = `audit-mark-${crypto.randomUUID()}`;
    await mark(name);
    const deadline = performance.now() + 30_000;
    for (;;) {
      const entries = await this.read();
      if (entries.some((entry) => entry.name === name)) {
        return entries.filter((entry) => !entry.name.startsWith('audit-mark-'));
      }
      if (performance.now() > deadline)
        throw new Error(
          `The API server has not logged the request for namespace ${name} within 30 s in ${this.#file}`,
        );
      await pause(10);
    }
  }

  async #readOn(): Promise<void> {
    const handle = await open(this.#file, 'r');
    try {
      const { size } = await handle.stat();
      while (this.#offset < size) {
        const { bytesRead, buffer } = await handle.read(
          Buffer.alloc(CHUNK),
          0,
          CHUNK,
          this.#offset,
        );
        if (bytesRead === 0) return;
        this.#offset += bytesRead;
        this.#take(buffer.subarray(0, bytesRead));
      }
    } finally {
      await handle.close();
    }
  }

  #take(chunk: Buffer): void {
    const end = chunk.lastIndexOf(NEWLINE);
    if (end < 0) {
      if (this.#rest) this.#rest = Buffer.concat([this.#rest, chunk]);
      return;
    }
    const whole = this.#rest
      ? Buffer.concat([this.#rest, chunk.subarray(0, end)])
      : chunk.subarray(chunk.indexOf(NEWLINE) + 1, Math.max(end, chunk.indexOf(NEWLINE) + 1));
    this.#rest = Buffer.from(chunk.subarray(end + 1));
    for (const line of whole.toString('utf8').split('\n'))
      if (line !== '') this.#entries.push(parseEntry(line));
  }
}

const CHUNK = 1 << 20;
const NEWLINE = 10;

interface RawEntry {
  readonly user: { readonly username: string };
  readonly userAgent?: string;
  readonly verb: string;
  readonly objectRef?: {
    readonly resource?: string;
    readonly subresource?: string;
    readonly namespace?: string;
    readonly name?: string;
  };
  readonly responseStatus?: { readonly code?: number };
  readonly requestURI: string;
  readonly requestReceivedTimestamp: string;
  readonly stageTimestamp: string;
}

function parseEntry(line: string): AuditEntry {
  const raw = JSON.parse(line) as RawEntry;
  return {
    user: raw.user.username,
    userAgent: raw.userAgent ?? '',
    verb: raw.verb,
    resource: raw.objectRef?.resource ?? '',
    subresource: raw.objectRef?.subresource ?? '',
    namespace: raw.objectRef?.namespace ?? '',
    name: raw.objectRef?.name ?? '',
    code: raw.responseStatus?.code ?? 0,
    requestURI: raw.requestURI,
    received: Date.parse(raw.requestReceivedTimestamp),
    completed: Date.parse(raw.stageTimestamp),
  };
}
