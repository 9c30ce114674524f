import { waitFor } from '../../controlplane/client.ts';
import type { Call, Rate, RateHeader } from '../../simulator/types.ts';
import type { RunningOperator } from '../../support/operator.ts';
import { ORGANIZATION, type Pset, SERVICE } from '../../support/scene-objects.ts';
import type { Answer, Passing } from '../proxy.ts';
import { openStage, type Stage } from '../stage.ts';

/** One key, by the way in which the API tells it to wait; its objects bear that name too. */
export interface Queue {
  readonly style: RateHeader;
  readonly names: readonly string[];
  /**
   * The names in the order in which their objects stand in line for the key: that of their last
   * versions before it is there.
   */
  line(): readonly string[];
  /** Its calls, in order. */
  calls(): Call[];
}

export interface Backlog {
  readonly stage: Stage;
  readonly queues: readonly Queue[];
  /** Its operator, which runs until then. */
  readonly operator: RunningOperator;
  /** Makes the Secrets, all at once: every object is due from now on, as scheduled work. */
  release(): Promise<void>;
  /** Gives an object another value, and the moment at which Kubernetes had it. */
  edit(name: string): Promise<number>;
  /** Waits until the API has what every object declares. */
  served(timeoutMs: number): Promise<void>;
}

const DECLARED = 8;
const EDITED = 16;

/**
 * Objects on a few keys whose Secrets are not there at first, so that they all come due at once
 * when they are: until then nobody calls, and nobody's status moves. The API limits each key, and
 * answers what is too much in a style of its own.
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
  const keyOf = (style: RateHeader) => ({ keyId: `key-${style}`, keySecret: `secret-of-${style}` });
  const stage = await openStage({
    logLevel: 'info',
    api: { take: restyle },
    simulator: {
      rate: { ...limit, header: 'reset-epoch-ms' },
      keys: Object.fromEntries(styles.map(keyOf).map(({ keyId, keySecret }) => [keyId, keySecret])),
    },
  });
  atEnd(stage.end);
  const { simulator } = stage;
  let line: readonly string[] = [];
  const queues = styles.map(
    (style): Queue => ({
      style,
      names: Array.from(
        { length: perKey },
        (_, index) => `${style}-${String(index).padStart(3, '0')}`,
      ),
      line: () => line.filter((name) => styleOf(name) === style),
      calls: () => simulator.calls({ keyId: keyOf(style).keyId }),
    }),
  );
  const all = queues.flatMap(({ style, names }) => names.map((name) => ({ style, name })));
  const write = (style: RateHeader, name: string, threads: number): Promise<void> =>
    stage.psets.create(name, {
      credentialsSecretRef: { name: `api-${style}` },
      settings: { engine_max_threads: threads },
    });
  const operator = await stage.start({ flags: ['--api-rate', told] });
  // One after the other: of statuses that are written at the same time the operator may hear in
  // another order than that of their versions, and nobody could tell who stands where.
  for (const { style, name } of all) await write(style, name, DECLARED);
  const threadsAt = (name: string): unknown =>
    simulator.settingsOf(`${ORGANIZATION}/${SERVICE}/${name}`)?.['engine_max_threads'];
  const edited = new Set<string>();

  return {
    stage,
    queues,
    operator,
    async release() {
      await waitFor(() => operator.page('metrics'), {
        what: 'all objects to say that there is no Secret',
        until: (page) => withoutSecret(page) === all.length,
        // Before they are looked at again, after four minutes at least.
        timeoutMs: 150_000,
      });
      const objects = await stage.psets.list();
      line = objects
        .toSorted((a, b) => versionOf(a) - versionOf(b))
        .map(({ metadata }) => metadata.name);
      await Promise.all(styles.map((style) => stage.secret(`api-${style}`, keyOf(style))));
    },
    async edit(name) {
      edited.add(name);
      await write(styleOf(name), name, EDITED);
      return Date.now();
    },
    async served(timeoutMs) {
      const isServed = (name: string): boolean =>
        threadsAt(name) === (edited.has(name) ? EDITED : DECLARED);
      await waitFor(() => all.map(({ name }) => name).filter((name) => !isServed(name)), {
        what: 'nobody to be left who is not served',
        until: ({ length }) => length === 0,
        timeoutMs,
      });
    },
  };
}

/** How many objects say so, by the metrics of the operator. */
function withoutSecret(page: string): number {
  const counts = page.matchAll(/^pipewright_resources\{.*reason="SecretNotFound"\} (\d+)$/gm);
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}

/**
 * The simulator has one style for all keys, and says the moment to the millisecond: here each key
 * gets its own.
 */
async function restyle(passing: Passing): Promise<void> {
  const answer = await passing.forward();
  if (answer.status !== 429) return passing.reply();
  const { 'x-ratelimit-reset': reset, ...headers } = answer.headers;
  return passing.reply({
    ...answer,
    headers: { ...headers, ...waitHeader(styleOf(nameIn(passing)), Number(reset)) },
  });
}

/** The object that a call is for. */
export function nameIn({ path }: Pick<Call, 'path'>): string {
  return /\/pipes\/([^/]+)/.exec(path)?.[1] ?? '';
}

/** Whether the call sends what an edit declares. */
export function carriesEdit({ body }: Pick<Call, 'body'>): boolean {
  return (body as Readonly<Record<string, unknown>> | undefined)?.['engine_max_threads'] === EDITED;
}

function versionOf({ metadata }: Pset): number {
  return Number(metadata.resourceVersion);
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
