import type { Organization, OrganizationBehaviour, PrivateEndpoint } from './organization-types.ts';

/**
 * The result as JSON text: text, because an id of digits as a number has more of them than a number
 * of ours keeps.
 */
export function organizationText(
  organization: Organization,
  behaviour: OrganizationBehaviour,
): string {
  const fields = Object.entries({ ...listed(organization, behaviour), ...behaviour.replace });
  const text = JSON.stringify(
    Object.fromEntries(fields.filter(([field]) => !behaviour.omit.includes(field))),
  );
  return behaviour.entries === 'number-ids'
    ? text.replaceAll(/"id":"([1-9]\d*)"/g, '"id":$1')
    : text;
}

function listed(organization: Organization, behaviour: OrganizationBehaviour): object {
  const { privateEndpoints: stored, ...rest } = organization;
  const described = stored.map((endpoint) => describedAs(endpoint, behaviour.description));
  const privateEndpoints = entriesAs(described, behaviour.entries);
  switch (behaviour.listMissingCalls > 0 ? 'absent' : behaviour.list) {
    case 'as-is':
      return { ...rest, privateEndpoints };
    case 'absent-when-empty':
      return privateEndpoints.length === 0 ? rest : { ...rest, privateEndpoints };
    case 'absent':
      return rest;
    case 'null':
      return { ...rest, privateEndpoints: null };
    case 'empty':
      return { ...rest, privateEndpoints: [] };
    case 'reversed':
      return { ...rest, privateEndpoints: privateEndpoints.toReversed() };
    case 'shuffled':
      return { ...rest, privateEndpoints: shuffled(privateEndpoints) };
    case 'doubled':
      return { ...rest, privateEndpoints: [...privateEndpoints, ...privateEndpoints] };
  }
}

type Shown = Omit<PrivateEndpoint, 'description'> & { readonly description?: string | null };

function describedAs(
  endpoint: PrivateEndpoint,
  style: OrganizationBehaviour['description'],
): Shown {
  const { description, ...rest } = endpoint;
  if (style === 'dropped') return rest;
  if (description !== undefined && description !== '') return { ...rest, description };
  if (style === 'absent-for-none') return rest;
  return { ...rest, description: style === 'null-for-none' ? null : '' };
}

function entriesAs(
  entries: readonly Shown[],
  style: OrganizationBehaviour['entries'],
): readonly unknown[] {
  switch (style) {
    case 'whole':
    case 'number-ids':
      return entries;
    case 'null-among':
      return [null, ...entries];
    case 'text-among':
      return ['psc', ...entries];
    case 'number-id-among':
      return [
        { id: 7, description: '', cloudProvider: 'gcp', region: 'ap-northeast-1' },
        ...entries,
      ];
    case 'no-region-among':
      return [{ id: 'nowhere', description: '', cloudProvider: 'gcp' }, ...entries];
    case 'no-regions':
      return entries.map((entry) => ({ ...entry, region: undefined }));
  }
}

function shuffled<T>(list: readonly T[]): T[] {
  return list
    .map((entry) => ({ entry, place: Math.random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ entry }) => entry);
}
