import {
  plain,
  type Reported,
  type Tuple,
  tupleKey,
} from '../../kinds/organization/endpoints/endpoints.ts';
import { type DeclaredEndpoint, parseSpec } from '../../kinds/organization/resource.ts';
import { counted } from '../words.ts';

/** What of a list a spec can say. */
export interface Declarable {
  readonly listed: readonly DeclaredEndpoint[];
  /** Sentences about what it cannot: each endpoint that is left out, and why. */
  readonly leftOut: readonly string[];
  /** Sentences about what is in the spec, but not as the API has it. */
  readonly remarks: readonly string[];
}

/** Says whether a text holds a part of the API key. */
export type HoldsKey = (text: string) => boolean;

type Judged = { readonly endpoint: DeclaredEndpoint; readonly remark?: string } | LeftOut;
interface LeftOut {
  readonly leftOut: string;
}

/**
 * The endpoints of a list as a spec declares them. What a spec cannot say is left out, which is
 * safe: an endpoint that no object has listed belongs to none, so it stays as it is. That counts
 * for all that share an id, as a spec takes each id once: nobody could tell which one is meant.
 */
export function declarable(list: readonly Reported[], holdsKey: HoldsKey): Declarable {
  const entries = [
    ...new Map(list.map((entry) => [JSON.stringify(partsOf(entry)), entry])).values(),
  ];
  const byId = Map.groupBy(entries, ({ id }) => plain(id));
  const judged = [...byId.values()].flatMap((alike): Judged[] =>
    alike.length === 1 ? alike.map((entry) => judge(entry, holdsKey)) : [shared(alike, holdsKey)],
  );
  const twins = list.length - entries.length;
  return {
    listed: judged.flatMap((one) => ('endpoint' in one ? [one.endpoint] : [])),
    leftOut: judged.flatMap((one) => ('leftOut' in one ? [one.leftOut] : [])),
    remarks: [
      ...judged.flatMap((one) => ('remark' in one ? [one.remark] : [])),
      ...(twins > 0
        ? [
            `${counted(twins, 'private endpoint')} of the reply had the id, provider and region of another one; they count as one, so unlisting it later removes them together`,
          ]
        : []),
    ],
  };
}

/** By what two entries are the same to the byte. */
function partsOf({ id, cloudProvider, region }: Reported): readonly (string | undefined)[] {
  return [id, cloudProvider, region];
}

function shared(alike: readonly Reported[], holdsKey: HoldsKey): LeftOut {
  const all = alike.map((entry) => named(entry, holdsKey)).join(', ');
  return {
    leftOut: `${counted(alike.length, 'private endpoint')} with one id (upper and lower case are not told apart) are left out, because an Organization takes each id once: ${all}`,
  };
}

function judge(entry: Reported, holdsKey: HoldsKey): Judged {
  const parts = [entry.id, entry.cloudProvider, entry.region];
  const left = (why: string): LeftOut => ({
    leftOut: `the private endpoint ${named(entry, holdsKey)} is left out: ${why}`,
  });
  if (parts.some((part) => part !== undefined && holdsKey(part)))
    return left('the id or the secret of the API key stands in it, and is not printed');
  const { cloudProvider, region } = entry;
  if (cloudProvider === undefined) return left('the reply does not say its cloud provider');
  if (region === undefined) return left('the reply does not say its region');
  const tuple = trimmed({ id: entry.id, cloudProvider, region });
  const problem = problemOf(tuple);
  if (problem !== undefined) return left(problem);
  return described(tuple, entry, holdsKey);
}

/** The operator takes two endpoints for the same one where only blanks around them differ. */
function trimmed({ id, cloudProvider, region }: Tuple): Tuple {
  const trim = (text: string): string => text.replace(/^ +| +$/g, '');
  return { id: trim(id), cloudProvider: trim(cloudProvider), region: trim(region) };
}

function described(tuple: Tuple, { description }: Reported, holdsKey: HoldsKey): Judged {
  if (description === undefined) return { endpoint: tuple };
  const endpoint = { ...tuple, description };
  const why = holdsKey(description)
    ? 'the id or the secret of the API key stands in it'
    : description.isWellFormed()
      ? problemOf(endpoint)
      : 'it is no valid Unicode text';
  if (why === undefined) return { endpoint };
  return {
    endpoint: tuple,
    remark: `the private endpoint ${named(tuple, holdsKey)} is listed without its description: ${why}`,
  };
}

/** What a spec must have besides the part of it that is judged. */
export const ANY_SPEC = {
  organizationId: '00000000-0000-0000-0000-000000000000',
  credentialsSecretRef: { name: 'any' },
};
const AT_FIRST_ENDPOINT = /^spec\.privateEndpoints\[0\]\.?/;

/** Why a spec does not take it, by the schema. */
function problemOf(endpoint: DeclaredEndpoint): string | undefined {
  const read = parseSpec({ spec: { ...ANY_SPEC, privateEndpoints: [endpoint] } });
  return read.ok ? undefined : `its ${read.message.replace(AT_FIRST_ENDPOINT, '')}`;
}

/** In quotes, with the place where the reply says it; nothing where the key may stand in it. */
function named(entry: Reported, holdsKey: HoldsKey): string {
  const { id, cloudProvider = '?', region = '?' } = entry;
  const name = `${JSON.stringify(id.slice(0, 128))} (${cloudProvider.slice(0, 64)}/${region.slice(0, 64)})`;
  return [id, cloudProvider, region].some(holdsKey) ? '(not shown)' : name;
}

/** Endpoints of a list whose id none of these has, and the others that differ from what has it. */
export function besides(
  list: readonly Reported[],
  declared: readonly DeclaredEndpoint[],
): { readonly further: readonly Reported[]; readonly otherwise: readonly Reported[] } {
  const byId = new Map(declared.map((one) => [plain(one.id), one]));
  const further = list.filter(({ id }) => !byId.has(plain(id)));
  const otherwise = list.filter((entry) => {
    const one = byId.get(plain(entry.id));
    if (!one) return false;
    const { cloudProvider = one.cloudProvider, region = one.region } = entry;
    return plain(tupleKey({ ...one, cloudProvider, region })) !== plain(tupleKey(one));
  });
  return { further, otherwise };
}
