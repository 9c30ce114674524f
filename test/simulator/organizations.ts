import { type OrganizationBehaviour, PLAIN } from './manners.ts';
import { applyPatch } from './organization-patch.ts';
import { objectionTo, type Patch } from './organization-rules.ts';
import type { Organization, OrganizationChange } from './organization-types.ts';
import { refused, succeeded, type Work } from './replies.ts';

interface Entry {
  present: Organization;
  /** As it was when the call before this one came; undefined: this is the first. */
  atLastCall?: Organization;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The organizations. With `anyOrganization` each exists from its first PATCH on. */
export function createOrganizations(options: { anyOrganization: boolean }) {
  const entries = new Map<string, Entry>();
  let behaviour = PLAIN.organization;

  /** `once` is how it behaves for this call alone. */
  function patch(id: string, body: unknown, once: Partial<OrganizationBehaviour> = {}): Work {
    if (!UUID.test(id)) return refused(400, `Invalid organization id string:${JSON.stringify(id)}`);
    if (!options.anyOrganization && !entries.has(id)) return refused(404);
    const now = { ...behaviour, ...once };
    const objection = objectionTo(body, now);
    if (objection) return refused(objection.status, objection.text);
    const entry = entryOf(id);
    const { present: before, atLastCall: lagging = before } = entry;
    entry.atLastCall = before;
    const { after, moves, refusal } = applyPatch(before, body as Patch, now);
    const isDone = refusal === undefined || now.onError === 'partial';
    if (isDone) entry.present = after;
    if (refusal) {
      const work = refused(refusal.status, refusal.text);
      return isDone ? { ...work, applied: after !== before, moves } : work;
    }
    const shown = shownAs(now.echo === 'lagging' ? lagging : after, now.list);
    return { reply: succeeded(shown), applied: true, moves };
  }

  function entryOf(id: string): Entry {
    const entry: Entry = entries.get(id) ?? { present: created(id) };
    entries.set(id, entry);
    return entry;
  }

  return {
    patch,
    of: (id: string): Organization | undefined => structuredClone(entries.get(id)?.present),
    /** Someone else; makes the organization where there is none. */
    set: (id: string, { name, byocConfig, add = [], remove = [] }: OrganizationChange): void => {
      const entry = entryOf(id);
      const { present } = entry;
      const rest = present.privateEndpoints.filter((one) => !remove.includes(one.id));
      entry.present = {
        ...present,
        name: name ?? present.name,
        byocConfig: byocConfig ?? present.byocConfig,
        privateEndpoints: [...rest, ...add],
      };
    },
    play: (change: Partial<OrganizationBehaviour>): void => {
      behaviour = { ...behaviour, ...change };
    },
  };
}

function shownAs(organization: Organization, list: OrganizationBehaviour['list']): object {
  const { privateEndpoints, ...rest } = organization;
  const isAbsent = list === 'absent' || (list !== 'as-is' && privateEndpoints.length === 0);
  if (isAbsent) return rest;
  const described = privateEndpoints.map((one) => ({ ...one, description: one.description ?? '' }));
  return { ...rest, privateEndpoints: described };
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
