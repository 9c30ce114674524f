import { organizationText } from './organization-echo.ts';
import { createHistory, type History } from './organization-history.ts';
import { applyPatch, type Patch } from './organization-patch.ts';
import { patchObjection } from './organization-rules.ts';
import { spelledAs } from './organization-spelling.ts';
import {
  type Organization,
  type OrganizationBehaviour,
  type OrganizationChange,
  type PrivateEndpoint,
  startBehaviour,
} from './organization-types.ts';
import { refused, succeeded, type Work } from './replies.ts';
import { realTime, type Time } from './time.ts';

export interface Organizations {
  /** `once` is how it behaves for this call alone. */
  patch(id: string, body: unknown, once?: Partial<OrganizationBehaviour>): Work;
  of(id: string): Organization | undefined;
  /** Someone else; makes the organization where there is none. */
  set(id: string, change: OrganizationChange): void;
  play(change: Partial<OrganizationBehaviour>): void;
  dump(): Record<string, Organization>;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** The organizations. With `anyOrganization` each exists from its first PATCH on. */
export function createOrganizations(options: {
  anyOrganization: boolean;
  time?: Time;
}): Organizations {
  const { time = realTime } = options;
  const histories = new Map<string, History>();
  let behaviour = startBehaviour();
  let others = 0;

  function patch(id: string, body: unknown, once: Partial<OrganizationBehaviour> = {}): Work {
    if (!UUID.test(id)) return refused(400, `Invalid organization id string:${JSON.stringify(id)}`);
    if (!options.anyOrganization && !histories.has(id)) return refused(404);
    const history = historyOf(id);
    const now = { ...behaviour, ...once };
    if (now.concurrent === 'conflict' && history.busy) {
      return refused(409, 'organization is being changed by another call');
    }
    if (now.others === 'come-and-go') history.store(comeAndGo(history.present));
    const problem = patchObjection(body, now);
    if (problem !== undefined) return refused(problem.status, problem.text);
    const lagging = history.lagging();
    const before = now.concurrent === 'lost-update' ? history.settled : history.present;
    const ended = history.begin();
    const stored = (endpoint: PrivateEndpoint): PrivateEndpoint => storedAs(endpoint, history, now);
    const {
      after,
      added,
      removed,
      refused: refusal,
    } = applyPatch(before, body as Patch, { behaviour: now, stored });
    if (refusal !== undefined && now.onError === 'all-or-nothing') {
      return { ...refused(refusal.status, refusal.text), ended };
    }
    const [held, base] = [history.present.privateEndpoints, before.privateEndpoints];
    const lost = without(held, [...base, ...after.privateEndpoints]);
    const back = without(base, held).filter((endpoint) =>
      after.privateEndpoints.includes(endpoint),
    );
    history.store(after);
    const moves = { added: [...added, ...back], removed: [...removed, ...lost] };
    if (refusal !== undefined) {
      return { ...refused(refusal.status, refusal.text), applied: after !== before, moves, ended };
    }
    const echoed = { fresh: after, stale: before, lagging }[now.echo];
    const text = organizationText(now.staleForMs > 0 ? history.ago(now.staleForMs) : echoed, now);
    if (once.listMissingCalls === undefined) countListMissing();
    return { reply: succeeded(text), applied: true, moves, ended };
  }

  function countListMissing(): void {
    behaviour = { ...behaviour, listMissingCalls: Math.max(0, behaviour.listMissingCalls - 1) };
  }

  function historyOf(id: string): History {
    const known = histories.get(id) ?? createHistory(created(id), time);
    histories.set(id, known);
    return known;
  }

  function comeAndGo(organization: Organization): Organization {
    others += 1;
    const rest = organization.privateEndpoints.filter(({ id }) => id !== `other-${others - 1}`);
    const next = {
      id: `other-${others}`,
      description: '',
      cloudProvider: 'gcp',
      region: 'ap-northeast-1',
    };
    return { ...organization, privateEndpoints: [...rest, next] };
  }

  function set(id: string, change: OrganizationChange): void {
    const history = historyOf(id);
    const before = history.present;
    const rest = before.privateEndpoints.filter(
      (endpoint) => !change.remove?.includes(endpoint.id),
    );
    history.store({
      ...before,
      name: change.name ?? before.name,
      byocConfig: change.byocConfig ?? before.byocConfig,
      privateEndpoints: [...rest, ...(change.add ?? [])],
    });
  }

  return {
    patch,
    of: (id) => structuredClone(histories.get(id)?.present),
    set,
    play: (change) => {
      behaviour = { ...behaviour, ...change };
    },
    dump: () =>
      structuredClone(Object.fromEntries([...histories].map(([id, { present }]) => [id, present]))),
  };
}

function without(
  endpoints: readonly PrivateEndpoint[],
  others: readonly PrivateEndpoint[],
): PrivateEndpoint[] {
  return endpoints.filter((endpoint) => !others.includes(endpoint));
}

/** How an endpoint gets into the list. */
function storedAs(
  endpoint: PrivateEndpoint,
  history: History,
  behaviour: OrganizationBehaviour,
): PrivateEndpoint {
  const spelled = spelledAs(endpoint, behaviour.tuples);
  return behaviour.descriptions === 'first-kept' ? history.firstDescribed(spelled) : spelled;
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
