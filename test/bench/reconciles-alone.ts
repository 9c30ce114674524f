import { createRateLimiter } from '../../src/api/limiter/rate-limiter.ts';
import { systemClock as clock } from '../../src/clock.ts';
import { queueKey } from '../../src/controller/controller.ts';
import { Reconciler } from '../../src/controller/reconciler.ts';
import { createKinds } from '../../src/kinds/index.ts';
import type { KubeClient } from '../../src/kube/client/client.ts';
import type { RequestCall } from '../../src/kube/client/exchange.ts';
import { type KubeObject, keyOf } from '../../src/kube/resource.ts';
import { createMask } from '../../src/redaction.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { aKindContext } from '../support/kind-context.ts';
import { anAnswer, aPipeSettings } from '../support/objects.ts';
import { inParallel } from './parallel.ts';

// All that is ours of the first reconcile of so many objects, 10 at once, with Kubernetes and the
// API in this process: no connection, no log, no metric. Prints the processor seconds it took.
const AT_ONCE = 10;
const LISTED_AT = 1_000_000;

const credential = { id: 'key', authorization: 'Basic a2V5', mask: createMask('id', 'secret') };
const unlimited = { calls: 0, perMs: 1 };
const [kind] = createKinds({
  ...aKindContext(new FakeClock('2026-03-01T12:00:00.000Z'), {
    answer: async (body) =>
      anAnswer(200, { result: JSON.parse(body ?? '{}') as Record<string, unknown> }),
  }),
  clock,
  readCredential: async () => ({ ok: true, credential, resourceVersion: '1' }),
  limiter: createRateLimiter({
    rate: unlimited,
    rateTotal: unlimited,
    inFlight: AT_ONCE,
    clock,
    wake: () => undefined,
  }),
}).filter(({ type }) => type.kind === 'PipeSettings');
if (!kind) throw new Error('there is no kind PipeSettings');
const objects = Array.from({ length: Number(process.argv[2]) }, (_, index) => {
  const settings = { streaming_max_insert_wait_ms: 5000, object_storage_concurrency: 8 };
  const spec = { pipeId: `pipe-${index}`, settings };
  return stored(aPipeSettings({ name: spec.pipeId, uid: crypto.randomUUID(), spec }), index);
});
const sink = kind.sink();
const trim = (object: KubeObject): KubeObject => sink.trim?.(object) ?? object;
sink.replace(objects.map(trim), String(LISTED_AT), false);

let version = LISTED_AT;
const client: KubeClient = {
  request: <T>({ body }: RequestCall): Promise<T> => {
    const { metadata, status } = body as KubeObject;
    const held = kind.get(keyOf({ metadata }));
    if (!held) throw new Error(`nobody has ${metadata.name}`);
    return Promise.resolve(stored({ ...held, status }, (version += 1)) as T);
  },
  stream: () => {
    throw new Error('nobody watches here');
  },
  close: () => Promise.resolve(),
};
const reconciler = new Reconciler({ client, clock, emit: () => undefined });
kind.takeOver();

const before = process.cpuUsage();
await inParallel(objects.map(keyOf), AT_ONCE, async (key) => {
  const { did } = await reconciler.run(kind, queueKey('PipeSettings', key), key);
  if (did !== 'put') throw new Error(`${key}: ${did} where a PUT was expected`);
});
const { user, system } = process.cpuUsage(before);
console.log((user + system) / 1e6);

/** As one comes over the wire. */
function stored(object: KubeObject, resourceVersion: number): KubeObject {
  const metadata = { ...object.metadata, resourceVersion: String(resourceVersion) };
  return JSON.parse(JSON.stringify({ ...object, metadata })) as KubeObject;
}
