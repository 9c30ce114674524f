import type { OrganizationStatus } from './resource.ts';

/** What tells one private endpoint from another: the same id in another region is another endpoint. */
export interface Tuple {
  readonly id: string;
  readonly cloudProvider: string;
  readonly region: string;
}

/** One entry of a reply's list, as it came; what is absent there is absent here. */
export interface Reported {
  readonly id: string;
  readonly cloudProvider?: string;
  readonly region?: string;
  readonly description?: string;
}

/** What is known of the organization's list. `complete` false: there are more entries than are kept. */
export interface Known {
  readonly entries: readonly Reported[];
  readonly complete: boolean;
}

export function tupleKey({ id, cloudProvider, region }: Tuple): string {
  return JSON.stringify([id, cloudProvider, region]);
}

export function tupleOf({ id, cloudProvider, region }: Tuple): Tuple {
  return { id, cloudProvider, region };
}

/** Whether an entry of a list stands for the endpoint. A part that the list leaves out is no contradiction. */
export function standsFor(reported: Reported, tuple: Tuple): boolean {
  return (
    reported.id === tuple.id &&
    (reported.cloudProvider ?? tuple.cloudProvider) === tuple.cloudProvider &&
    (reported.region ?? tuple.region) === tuple.region
  );
}

export function isListed(entries: readonly Reported[], tuple: Tuple): boolean {
  return entries.some((reported) => standsFor(reported, tuple));
}

/** The list in a reply's result. Undefined where there is none: that is unknown, not empty. Entries without an id say nothing. */
export function readList(result: Readonly<Record<string, unknown>>): readonly Reported[] | undefined {
  const list = Object.hasOwn(result, 'privateEndpoints') ? result.privateEndpoints : undefined;
  if (!Array.isArray(list)) return undefined;
  return list.flatMap((entry: unknown) => {
    if (typeof entry !== 'object' || entry === null) return [];
    const { id, cloudProvider, region, description } = entry as Readonly<Record<string, unknown>>;
    const name = word(id);
    if (name === undefined) return [];
    return [
      {
        id: name,
        ...named('cloudProvider', word(cloudProvider)),
        ...named('region', word(region)),
        ...named('description', word(description)),
      },
    ];
  });
}

/** What the status still knows of the last list; undefined where no reply had one. */
export function knownList(status: OrganizationStatus | undefined): Known | undefined {
  const { privateEndpoints, privateEndpointsTotal } = status?.organization ?? {};
  if (!privateEndpoints) return undefined;
  const entries = privateEndpoints.flatMap(({ id, ...rest }) =>
    id === undefined
      ? []
      : [
          {
            id,
            ...named('cloudProvider', rest.cloudProvider),
            ...named('region', rest.region),
            ...named('description', rest.description),
          },
        ],
  );
  return { entries, complete: (privateEndpointsTotal ?? entries.length) <= privateEndpoints.length };
}

/** Ids are texts; some servers write numbers. */
function word(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'number' ? String(value) : undefined;
}

function named<Name extends string>(name: Name, value: string | undefined): { readonly [N in Name]?: string } {
  return value === undefined ? {} : ({ [name]: value } as { readonly [N in Name]?: string });
}
