import type { Done } from '../../src/kinds/organization/act.ts';
import { Notebook } from '../../src/kinds/organization/attempt/notebook.ts';
import type { Notes } from '../../src/kinds/organization/attempt/notes.ts';
import type { Facts } from '../../src/kinds/organization/load.ts';
import { type Plan, plan } from '../../src/kinds/organization/plan.ts';
import {
  type Organization,
  type OrganizationSpec,
  type OrganizationStatus,
  parseSpec,
} from '../../src/kinds/organization/resource.ts';
import type { Claim } from '../../src/kinds/target/target.ts';
import { T0 } from './objects.ts';
import { at, specOf } from './organization-entries.ts';

export const API_TIMEOUT_MS = 35_000;
export const API_HASH = 'sha256:this-api';

interface Wanted {
  readonly ids?: readonly string[];
  readonly spec?: Partial<OrganizationSpec>;
  readonly status?: OrganizationStatus;
  readonly metadata?: Partial<Organization['metadata']>;
}

/** An Organization of generation 1 that lists these endpoints. */
export function anOrganization({ ids, spec = {}, status, metadata }: Wanted = {}): Organization {
  return {
    metadata: {
      name: 'acme',
      namespace: 'ingest',
      uid: 'uid-1',
      resourceVersion: '7',
      generation: 1,
      creationTimestamp: at(-3_600_000),
      ...metadata,
    },
    spec: specOf(ids, spec),
    ...(status && { status: { proof: { time: at(0), apiHash: API_HASH }, ...status } }),
  };
}

/** Throws where the schema refuses it. */
export function parsedSpec(object: Organization): OrganizationSpec {
  const parsed = parseSpec(object);
  if (!parsed.ok) throw new Error(parsed.message);
  return parsed.spec;
}

export function aClaim(more: Partial<Claim> = {}): Claim {
  return {
    uid: 'uid-1',
    namespace: 'ingest',
    name: 'acme',
    created: at(-3_600_000),
    proven: true,
    able: true,
    refused: false,
    answered: true,
    appliedAt: undefined,
    provenAt: undefined,
    unknownAt: undefined,
    calledAt: undefined,
    ...more,
  };
}

/** What a pass knows where nothing is in the way of the object. */
export function factsOf(object: Organization, more: Partial<Facts> = {}): Facts {
  const { monotonic = 0 } = more;
  const notebook = new Notebook(API_TIMEOUT_MS + 60_000);
  return {
    standing: {
      own: aClaim(),
      others: [],
      waits: false,
      unlisted: false,
      atWorkMs: 95_000,
      unsettledMs: undefined,
      courtesyMs: 0,
    },
    listedByOthers: [],
    notes: notebook.of(object, monotonic),
    secret: { state: 'unknown' },
    triedSecret: undefined,
    hasUnrecordedWrite: false,
    monotonic,
    baseUrl: 'https://api.example.com',
    apiHash: API_HASH,
    cleanupDeadlineMs: 600_000,
    planOnly: false,
    ...more,
  };
}

/** The plan of a pass, with what this process remembers of the object. */
export function planned(
  object: Organization,
  more: Partial<Facts> & { readonly know?: Partial<Notes> } = {},
  now = T0,
) {
  const { know = {}, ...facts } = more;
  const all = factsOf(object, facts);
  return plan(object, { ...all, notes: { ...all.notes, ...know } }, now);
}

/** A plan that makes no call and writes no finalizer, carried out. */
export function carriedOut(plan: Plan): Done {
  if (plan.do === 'step' || plan.do === 'hold' || plan.do === 'release')
    throw new Error(`${plan.do} has something to bring`);
  return plan;
}
