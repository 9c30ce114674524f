import { applyPatch, type Patch } from './organization-patch.ts';
import { patchObjection } from './organization-rules.ts';
import {
  ORGANIZATION_CHOICES,
  type Organization,
  type OrganizationBehaviour,
  type OrganizationChange,
  type PrivateEndpoint,
} from './organization-types.ts';
import { refused, succeeded, type Work } from './replies.ts';

export interface Organizations {
  patch(id: string, body: unknown): Work;
  of(id: string): Organization | undefined;
  /** Someone else; makes the organization where there is none. */
  set(id: string, change: OrganizationChange): void;
  play(change: Partial<OrganizationBehaviour>): void;
  dump(): Record<string, Organization>;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** The organizations. With `anyOrganization` each exists from its first PATCH on. */
export function createOrganizations(options: { anyOrganization: boolean }): Organizations {
  const stored = new Map<string, Organization>();
  let behaviour: OrganizationBehaviour = startBehaviour();
  let others = 0;

  function patch(id: string, body: unknown): Work {
    if (!UUID.test(id)) return refused(400, `Invalid organization id string:${JSON.stringify(id)}`);
    const present = stored.get(id) ?? (options.anyOrganization ? created(id) : undefined);
    if (present === undefined) return refused(404);
    const before = behaviour.others === 'come-and-go' ? comeAndGo(present) : present;
    stored.set(id, before);
    const problem = patchObjection(body, behaviour);
    if (problem !== undefined) return refused(problem.status, problem.text);
    const outcome = applyPatch(before, body as Patch, behaviour);
    if (outcome.refused === undefined || behaviour.onError === 'partial') stored.set(id, outcome.after);
    if (outcome.refused !== undefined) {
      const applied = behaviour.onError === 'partial' && outcome.after !== before;
      return { ...refused(outcome.refused.status, outcome.refused.text), applied };
    }
    const echoed = behaviour.echo === 'stale' ? before : outcome.after;
    return { reply: succeeded(JSON.stringify(shown(echoed, behaviour))), applied: true };
  }

  function comeAndGo(organization: Organization): Organization {
    others += 1;
    const rest = organization.privateEndpoints.filter(({ id }) => id !== `other-${others - 1}`);
    const next = { id: `other-${others}`, description: '', cloudProvider: 'gcp', region: 'ap-northeast-1' };
    return { ...organization, privateEndpoints: [...rest, next] };
  }

  function set(id: string, change: OrganizationChange): void {
    const before = stored.get(id) ?? created(id);
    const rest = before.privateEndpoints.filter((endpoint) => !change.remove?.includes(endpoint.id));
    stored.set(id, {
      ...before,
      name: change.name ?? before.name,
      byocConfig: change.byocConfig ?? before.byocConfig,
      privateEndpoints: [...rest, ...(change.add ?? [])],
    });
  }

  return {
    patch,
    of: (id) => structuredClone(stored.get(id)),
    set,
    play: (change) => {
      behaviour = { ...behaviour, ...change };
    },
    dump: () => structuredClone(Object.fromEntries(stored)),
  };
}

function startBehaviour(): OrganizationBehaviour {
  const first = Object.fromEntries(Object.entries(ORGANIZATION_CHOICES).map(([name, [choice]]) => [name, choice]));
  return { ...first, refusedIds: [], maxEndpoints: 10_000 } as unknown as OrganizationBehaviour;
}

function created(id: string): Organization {
  return {
    id,
    createdAt: '2026-01-02T03:04:05.000Z',
    name: `Organization ${id.slice(0, 8)}`,
    privateEndpoints: [],
    byocConfig: [],
  };
}

function shown(organization: Organization, behaviour: OrganizationBehaviour): object {
  const { privateEndpoints, ...rest } = organization;
  const described = privateEndpoints.map((endpoint) => describedAs(endpoint, behaviour.description));
  switch (behaviour.list) {
    case 'as-is':
      return { ...rest, privateEndpoints: described };
    case 'absent':
      return rest;
    case 'null':
      return { ...rest, privateEndpoints: null };
    case 'empty':
      return { ...rest, privateEndpoints: [] };
    case 'reversed':
      return { ...rest, privateEndpoints: described.reverse() };
    case 'shuffled':
      return { ...rest, privateEndpoints: shuffled(described) };
    case 'doubled':
      return { ...rest, privateEndpoints: [...described, ...described] };
  }
}

function describedAs(endpoint: PrivateEndpoint, style: OrganizationBehaviour['description']): object {
  const { description, ...rest } = endpoint;
  if (style === 'dropped') return rest;
  if (description !== undefined && description !== '') return { ...rest, description };
  if (style === 'absent-for-none') return rest;
  return { ...rest, description: style === 'null-for-none' ? null : '' };
}

function shuffled<T>(list: readonly T[]): T[] {
  return list
    .map((entry) => ({ entry, place: Math.random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ entry }) => entry);
}
