import { floorSteps } from './floor-steps.ts';
import { apiPath, type Pset, psetPath } from './objects.ts';
import { inParallel } from './parallel.ts';
import { openPeer, readEvents } from './peer.ts';

// The least that can be done: a list, and for each object a PUT and a write of its status. It does
// more with the steps of `floor-steps.ts`.
const { options, kube, put } = openPeer();
const steps = floorSteps(options.upTo);
const watches = steps.includes('watch');
const log = steps.includes('log') ? await openLog() : undefined;
const parse = steps.includes('schema') ? await schemaParser() : undefined;
const held = new Map<string, Pick<Pset, 'spec' | 'status'>>();

const list = await kube('GET', psetPath(options.namespace));
const { items, metadata: listed } = (await list.body.json()) as {
  items: Pset[];
  metadata: { resourceVersion: string };
};
if (watches) void watch(listed.resourceVersion);

await inParallel(items, options.concurrency ?? 1, async (object) => {
  const { apiVersion, kind, metadata, spec } = object;
  if (parse && !parse(object).ok) throw new Error('a spec is not valid');
  const since = performance.now();
  await put(apiPath(spec), spec.settings);
  const { name, namespace, uid, resourceVersion } = metadata;
  const body = {
    apiVersion,
    kind,
    metadata: { name, namespace, uid, resourceVersion },
    status: options.status,
  };
  const reply = await kube('PUT', `${psetPath(namespace, name)}/status`, body);
  const text = await reply.body.text();
  if (reply.statusCode !== 200)
    throw new Error(`status of ${name}: HTTP ${reply.statusCode}: ${text}`);
  const written = JSON.parse(text) as Pset;
  if (watches) keep(written);
  if (log) {
    const ms = Math.round(performance.now() - since);
    log.info({ kind, namespace, name, did: 'call', ms, httpStatus: 200 }, 'reconciled');
  }
});
// It stays until SIGTERM, so that the processor time which it took can be read.
setInterval(() => undefined, 2 ** 30);

/** Holds what comes, as one does that must see what others change. */
async function watch(resourceVersion: string): Promise<void> {
  items.forEach(keep);
  const reply = await kube(
    'GET',
    `${psetPath(options.namespace)}?watch=true&resourceVersion=${resourceVersion}`,
  );
  await readEvents(reply.body, keep);
}

function keep({ metadata, spec, status }: Pset): void {
  held.set(metadata.name, { spec, ...(status && { status }) });
}

/** Loaded only where it is used: what a step costs is not to stand with those before it. */
async function openLog() {
  const { pino } = await import('pino');
  const timestamp = pino.stdTimeFunctions.isoTime;
  return pino({ base: null, timestamp }, pino.destination(1));
}

async function schemaParser() {
  const { parseSpec } = await import('../../src/kinds/pipe-settings/resource.ts');
  return parseSpec;
}
