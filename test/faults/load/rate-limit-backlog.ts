import { setTimeout as pause } from 'node:timers/promises';
import { inParallel } from '../../bench/parallel.ts';
import { waitFor } from '../../controlplane/client.ts';
import type { Call, Rate, RateHeader } from '../../simulator/types.ts';
import type { RunningOperator } from '../../support/operator.ts';
import { ORGANIZATION, SERVICE } from '../../support/scene.ts';
import type { Answer, Passing } from '../proxy.ts';
import { openStage, type Stage } from '../stage.ts';

/** One key, by the way in which the API tells it to wait; its objects bear that name too. */
export interface Queue {
  readonly style: RateHeader;
  readonly names: readonly string[];
  /** Its calls since the key is good, in order. */
  calls(): Call[];
}

export interface Backlog {
  readonly stage: Stage;
  readonly queues: readonly Queue[];
  /** Its operator, which runs until then. */
  readonly operator: RunningOperator;
  /** Gives all keys to the Secrets at once: every object is due from now on, as scheduled work. */
  release(): Promise<void>;
  /** Gives an object another value, and the moment at which Kubernetes had it. */
  edit(name: string): Promise<number>;
  /** Waits until the API has what every object declares. */
  served(timeoutMs: number): Promise<void>;
}

const AT_ONCE = 8;
const EDITED = 16;

/**
 * Objects on a few keys that the API refuses at first, so that they all come due at once when the keys are put right.
 * The API limits each key, and answers what is too much in a style of its own.
 */
export async function openBacklog(options: {
  readonly styles: readonly RateHeader[];
  readonly perKey: number;
  /** What the API takes from one key. */
  readonly limit: Pick<Rate, 'calls' | 'perMs'>;
  /** What the operator is told of that: `--api-rate`. */
  readonly told: string;
  /** Is given what ends it all. */
  readonly atEnd: (end: () => Promise<void>) => void;
}): Promise<Backlog> {
  const { styles, perKey, limit, told, atEnd } = options;
  const stage = await openStage({ logLevel: 'info', api: { take: restyle } });
  atEnd(stage.end);
  const { simulator } = stage;
  let releasedAt = Number.POSITIVE_INFINITY;
  const keyOf = (style: RateHeader) => ({ keyId: `key-${style}`, keySecret: `secret-of-${style}` });
  const queues = styles.map(
    (style): Queue => ({
      style,
      names: Array.from({ length: perKey }, (_, index) => `${style}-${String(index).padStart(3, '0')}`),
      calls: () => simulator.calls({ keyId: `key-${style}` }).filter(({ receivedAt }) => receivedAt >= releasedAt),
    }),
  );
  await Promise.all(styles.map((style) => stage.secret(`api-${style}`, { ...keyOf(style), keySecret: 'not yet' })));
  const all = queues.flatMap(({ style, names }) => names.map((name) => ({ style, name })));
  const write = (style: RateHeader, name: string, threads: number): Promise<void> =>
    stage.pset(name, {
      credentialsSecretRef: { name: `api-${style}` },
      settings: { engine_max_threads: threads },
    });
  await inParallel(all, AT_ONCE, ({ style, name }) => write(style, name, 8));
  const threadsAt = (name: string): unknown =>
    simulator.settingsOf(`${ORGANIZATION}/${SERVICE}/${name}`)?.['engine_max_threads'];
  const edited = new Set<string>();
  const operator = await stage.start({ flags: ['--api-rate', told] });

  return {
    stage,
    queues,
    operator,
    async release() {
      await waitFor(() => operator.page('metrics'), {
        what: 'all objects to say that their key is refused',
        until: (page) => page.split('reason="Unauthorized"').length - 1 === all.length,
        timeoutMs: 60_000,
      });
      simulator.play({ rate: { ...limit, header: 'reset-epoch-ms' } });
      for (const style of styles) simulator.setKey(keyOf(style).keyId, keyOf(style).keySecret);
      releasedAt = Date.now();
      await Promise.all(styles.map((style) => stage.secret(`api-${style}`, keyOf(style))));
    },
    async edit(name) {
      edited.add(name);
      await write(styleOf(name), name, EDITED);
      return Date.now();
    },
    async served(timeoutMs) {
      const deadline = Date.now() + timeoutMs;
      const isServed = (name: string): boolean => threadsAt(name) === (edited.has(name) ? EDITED : 8);
      const left = (): string[] => all.map(({ name }) => name).filter((name) => !isServed(name));
      while (left().length > 0) {
        if (Date.now() > deadline) throw new Error(`Not served after ${timeoutMs} ms: ${left().join(', ')}`);
        await pause(50);
      }
    },
  };
}

/** The simulator has one style for all keys, and says the moment to the millisecond: here each key gets its own. */
async function restyle(passing: Passing): Promise<void> {
  const answer = await passing.forward();
  if (answer.status !== 429) return passing.reply();
  const { 'x-ratelimit-reset': reset, ...headers } = answer.headers;
  return passing.reply({ ...answer, headers: { ...headers, ...waitHeader(styleOf(nameIn(passing)), Number(reset)) } });
}

/** The object that a call is for. */
export function nameIn({ path }: Pick<Call, 'path'>): string {
  return /\/pipes\/([^/]+)/.exec(path)?.[1] ?? '';
}

function styleOf(name: string): RateHeader {
  return name.slice(0, name.lastIndexOf('-')) as RateHeader;
}

/** Never early: what is counted in seconds is rounded up. */
function waitHeader(style: RateHeader, at: number): Answer['headers'] {
  const seconds = String(Math.ceil((at - Date.now()) / 1000));
  const epochSeconds = Math.ceil(at / 1000);
  const headers: Record<RateHeader, Answer['headers']> = {
    'reset-seconds': { 'x-ratelimit-reset': seconds },
    'reset-epoch': { 'x-ratelimit-reset': String(epochSeconds) },
    'reset-epoch-ms': { 'x-ratelimit-reset': String(at) },
    'retry-after': { 'retry-after': seconds },
    'retry-after-date': { 'retry-after': new Date(epochSeconds * 1000).toUTCString() },
    none: {},
  };
  return headers[style];
}
