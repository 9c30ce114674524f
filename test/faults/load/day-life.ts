import type { KubeObject } from '../../../src/kube/resource.ts';
import { type Simulator, startSimulator } from '../../simulator/simulator.ts';
import { dayClock } from './day-clock.ts';
import { dayKube } from './day-kube.ts';
import { NAMESPACE, runOperator } from './day-operator.ts';

const HOUR = 60 * 60_000;
const OBJECTS = 1_000;
const FAILING = 10;
const PSETS = `/apis/pipewright.dev/v1alpha1/namespaces/${NAMESPACE}/pipesettings`;
const SECRETS = `/api/v1/namespaces/${NAMESPACE}/secrets`;
const ORGANIZATION = '0b1d7c52-91a4-4f0e-8a3b-6f1e2d3c4b5a';

/** What one day has cost. */
export interface Cost {
  readonly calls: number;
  /** Status writes and events. */
  readonly writes: number;
}

/**
 * 1,000 PipeSettings that the API has confirmed, and an operator, whole but for the network to
 * Kubernetes, on a clock of its own.
 */
export interface Life {
  readonly simulator: Simulator;
  /** Parts of the paths of the 1 % that are to fail; they have a key of their own, `failing`. */
  readonly failingPath: string;
  hours(count: number): Promise<void>;
  /** What it costs from now on until the same time tomorrow. */
  day(): Promise<Cost>;
  /** The owners change the spec of those that are to fail, or of all. */
  edit(which: 'failing' | 'all', spec: Readonly<Record<string, unknown>>): void;
  /** Writes a Secret: the same key, unless told another. */
  secret(name: 'good' | 'failing', keySecret?: string): void;
  /** Reasons of `Ready`, and how many have each. */
  reasons(): Readonly<Record<string, number>>;
  end(): Promise<void>;
}

export async function startLife(): Promise<Life> {
  const simulator = await startSimulator({
    keys: { good: 'good-secret', failing: 'failing-secret' },
    keepLog: false,
  });
  const clock = dayClock();
  const kube = dayKube(clock);
  const names = Array.from(
    { length: OBJECTS },
    (_, index) => `${index < FAILING ? 'failing' : 'good'}-${index}`,
  );

  const edit: Life['edit'] = (which, spec) => {
    for (const name of names.filter((one) => which === 'all' || one.startsWith('failing'))) {
      const object = kube.get(`${PSETS}/${name}`);
      const generation = (object.metadata.generation ?? 0) + 1;
      kube.store(`${PSETS}/${name}`, {
        ...object,
        metadata: { ...object.metadata, generation },
        spec: { ...(object.spec as object), ...spec },
      });
    }
  };
  const secret: Life['secret'] = (name, keySecret = `${name}-secret`) => {
    const encoded = (text: string): string => Buffer.from(text).toString('base64');
    const data = { keyId: encoded(name), keySecret: encoded(keySecret) };
    kube.store(`${SECRETS}/${name}`, { ...aMeta(name), data } as KubeObject);
  };
  secret('good');
  secret('failing');
  for (const name of names) kube.store(`${PSETS}/${name}`, aPipe(name));

  const operator = await runOperator({ simulator, kube, clock });
  const hours = (count: number): Promise<void> => operator.pass(count * HOUR);
  const spent = (): Cost => ({
    calls: simulator.callCount(),
    writes: kube.writes.status + kube.writes.events,
  });
  await hours(1);

  return {
    simulator,
    failingPath: '/failing-',
    hours,
    async day() {
      const before = spent();
      await hours(24);
      const after = spent();
      return { calls: after.calls - before.calls, writes: after.writes - before.writes };
    },
    edit,
    secret,
    reasons() {
      const all = names.map((name) => readyReason(kube.get(`${PSETS}/${name}`)));
      return Object.fromEntries(
        Object.entries(Object.groupBy(all, (one) => one)).map(([k, v]) => [k, v?.length ?? 0]),
      );
    },
    async end() {
      await operator.end();
      await simulator.stop();
    },
  };
}

function aMeta(name: string): Pick<KubeObject, 'metadata'> {
  const metadata = {
    name,
    namespace: NAMESPACE,
    uid: `uid-of-${name}`,
    resourceVersion: '',
    generation: 1,
  };
  return { metadata: { ...metadata, creationTimestamp: '2025-12-31T00:00:00Z' } };
}

function aPipe(name: string): KubeObject {
  return {
    ...aMeta(name),
    spec: {
      organizationId: ORGANIZATION,
      serviceId: 'service',
      pipeId: name,
      credentialsSecretRef: { name: name.startsWith('failing') ? 'failing' : 'good' },
      settings: { engine_max_threads: 8 },
    },
  };
}

function readyReason({ status }: KubeObject): string {
  const { conditions = [] } = (status ?? {}) as {
    conditions?: readonly { type: string; reason: string }[];
  };
  return conditions.find(({ type }) => type === 'Ready')?.reason ?? 'Pending';
}
