import type { OrganizationBehaviour, PrivateEndpoint } from './organization-types.ts';

type Spelling = OrganizationBehaviour['tuples'];

/** What stands before the name of a region where the server has another name for it. */
const ALIAS = 'r-';

/** An endpoint as the server spells it; what is spelled so already stays as it is. */
export function spelledAs(endpoint: PrivateEndpoint, style: Spelling): PrivateEndpoint {
  const { id, cloudProvider, region } = endpoint;
  switch (style) {
    case 'as-sent':
      return endpoint;
    case 'upper-region':
      return { ...endpoint, region: region.toUpperCase() };
    case 'upper-id':
      return { ...endpoint, id: id.toUpperCase() };
    case 'lower-id':
      return { ...endpoint, id: id.toLowerCase() };
    case 'trimmed':
      return {
        ...endpoint,
        id: id.trim(),
        cloudProvider: cloudProvider.trim(),
        region: region.trim(),
      };
    case 'region-alias':
      return { ...endpoint, region: region.startsWith(ALIAS) ? region : ALIAS + region };
  }
}

/** Whether the server takes two endpoints for one, whichever spelling each of them has. */
export function alike(
  one: PrivateEndpoint,
  other: PrivateEndpoint,
  { matchBy, tuples }: Pick<OrganizationBehaviour, 'matchBy' | 'tuples'>,
): boolean {
  const [a, b] = [spelledAs(one, tuples), spelledAs(other, tuples)];
  if (a.id !== b.id) return false;
  return matchBy === 'id' || (a.cloudProvider === b.cloudProvider && a.region === b.region);
}
