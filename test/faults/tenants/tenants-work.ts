import { waitFor } from '../../controlplane/client.ts';
import type { Simulator } from '../../simulator/types.ts';
import { endpoint } from '../../support/organizations.ts';
import { SERVICE } from '../../support/scene-objects.ts';
import { type Plural, pathOf, pipeSpec, type Tenant } from './tenants-world.ts';

const PIPES = ['orders', 'clicks', 'stock', 'mails'];
/** One more pipe after so many edits. */
const NEW_PIPE_EVERY = 8;
const PATIENCE_MS = 120_000;

/** What a tenant does on an ordinary day, and what must have come of it. */
export interface Work {
  /** One edit of a pipe, and now and then a new pipe or an endpoint; milliseconds to its end. */
  step(): Promise<number>;
  /** The settings of each pipe, as declared last, and how many edits it had. */
  readonly pipes: ReadonlyMap<string, { readonly value: number; readonly edits: number }>;
  /** Ids of the endpoints that are declared now, and how often each was declared and taken back. */
  readonly endpoints: ReadonlyMap<string, { readonly declared: number; readonly dropped: number }>;
  readonly declared: ReadonlySet<string>;
}

/** The names of new pipes can be guessed, so that another may be there first. */
export function newPipe(nth: number): string {
  return `new-${nth}`;
}

export async function startWork(tenant: Tenant): Promise<Work> {
  const pipes = new Map<string, { value: number; edits: number }>();
  const endpoints = new Map<string, { declared: number; dropped: number }>();
  const declared = new Set<string>();
  let steps = 0;

  const edit = async (pipe: string): Promise<number> => {
    const { value, edits } = pipes.get(pipe) ?? { value: 499, edits: 0 };
    pipes.set(pipe, { value: value + 1, edits: edits + 1 });
    const settings = { streaming_max_insert_wait_ms: value + 1 };
    const started = performance.now();
    await expectStored(
      tenant.put('pipesettings', pipe, pipeSpec(tenant.organization, pipe, { settings })),
    );
    await applied(tenant, 'pipesettings', pipe);
    return performance.now() - started;
  };

  const declare = async (id: string): Promise<void> => {
    const counts = endpoints.get(id) ?? { declared: 0, dropped: 0 };
    if (declared.delete(id)) endpoints.set(id, { ...counts, dropped: counts.dropped + 1 });
    else {
      declared.add(id);
      endpoints.set(id, { ...counts, declared: counts.declared + 1 });
    }
    const spec = {
      organizationId: tenant.organization,
      credentialsSecretRef: { name: 'key' },
      privateEndpoints: [...declared].map((one) => endpoint(one)),
    };
    await expectStored(tenant.put('organizations', 'home', spec));
    await applied(tenant, 'organizations', 'home');
  };

  for (const pipe of PIPES) await edit(pipe);
  await declare('link-0');
  return {
    pipes,
    endpoints,
    declared,
    async step() {
      steps += 1;
      if (steps % NEW_PIPE_EVERY === 0) {
        await declare(`link-${(steps / NEW_PIPE_EVERY) % 3}`);
        return edit(newPipe(steps / NEW_PIPE_EVERY));
      }
      return edit(PIPES[steps % PIPES.length] ?? '');
    },
  };

  async function expectStored(answer: Promise<{ status: number; text: string }>): Promise<void> {
    const { status, text } = await answer;
    if (status >= 300) throw new Error(`HTTP ${status}: ${text}`);
  }
}

interface Read {
  readonly metadata: { readonly name: string; readonly generation: number };
  readonly status?: {
    readonly observedGeneration: number;
    readonly conditions: readonly { readonly status: string; readonly reason: string }[];
  };
}

function isApplied({ metadata: { generation }, status }: Read): boolean {
  return status?.observedGeneration === generation && status.conditions[0]?.reason === 'Applied';
}

async function applied(owner: Tenant, plural: Plural, name: string): Promise<void> {
  const path = pathOf(owner.namespace, plural, name);
  await waitFor(async () => JSON.parse((await owner.ask('GET', path)).text) as Read, {
    what: `${plural} ${name} of ${owner.namespace} to be applied`,
    until: isApplied,
    timeoutMs: PATIENCE_MS,
  });
}

/** When all pipes whose names begin so are applied. */
export async function allApplied({ namespace, ask }: Tenant, prefix: string): Promise<void> {
  const path = pathOf(namespace, 'pipesettings');
  await waitFor(async () => JSON.parse((await ask('GET', path)).text) as { items: Read[] }, {
    what: `all ${prefix}* of ${namespace} to be applied`,
    until: ({ items }) =>
      items.filter(({ metadata }) => metadata.name.startsWith(prefix)).every(isApplied),
    timeoutMs: PATIENCE_MS,
  });
}

/** What is not as if the tenant had been alone: of its pipes, its organization, its objects. */
export async function spoilt(tenant: Tenant, work: Work, simulator: Simulator): Promise<string[]> {
  const found: string[] = [];
  const { organization, key } = tenant;
  for (const [pipe, { value, edits }] of work.pipes) {
    const target = `${organization}/${SERVICE}/${pipe}`;
    const held = simulator.settingsOf(target)?.['streaming_max_insert_wait_ms'];
    if (held !== value) found.push(`pipe ${pipe} has ${String(held)}, not ${value}`);
    const calls = simulator.calls({
      method: 'PUT',
      pathIncludes: `${organization}/services/${SERVICE}/pipes/${pipe}/`,
    });
    const own = calls.filter(({ keyId }) => keyId === key.id);
    if (own.length !== edits) found.push(`pipe ${pipe}: ${own.length} calls for ${edits} edits`);
    const others = calls.filter(({ keyId, applied }) => keyId !== key.id && applied);
    if (others.length > 0) found.push(`pipe ${pipe} was written with ${others[0]?.keyId}`);
  }
  const listed = (simulator.organization(organization)?.privateEndpoints ?? []).map(({ id }) => id);
  if (listed.toSorted().join() !== [...work.declared].toSorted().join())
    found.push(`endpoints are ${listed.join()}, not ${[...work.declared].join()}`);
  const counts = simulator.endpointCounts(organization);
  for (const [id, { declared, dropped }] of work.endpoints) {
    const count = counts[`gcp/ap-northeast-1/${id}`];
    if (count?.add !== declared || count.remove !== dropped)
      found.push(`endpoint ${id}: ${JSON.stringify(count)} for ${declared} and ${dropped}`);
  }
  for (const id of Object.keys(counts))
    if (!work.endpoints.has(id.split('/').at(-1) ?? '')) found.push(`endpoint ${id} of nobody`);
  return found;
}
