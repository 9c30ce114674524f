import { fitTo } from '../../shared/fit.ts';
import type { OrganizationStatus } from '../resource.ts';
import { reportedOrganization } from '../status.ts';
import { type Reported, readList } from './endpoints.ts';

type Shown = NonNullable<OrganizationStatus['organization']>;
type Result = Readonly<Record<string, unknown>>;

/** What a result says, brought to our types. */
export interface OrganizationReply {
  readonly name: string | undefined;
  /** Undefined: the reply has no list, so what is in it is unknown. */
  readonly list: readonly Reported[] | undefined;
  /** In the bounds of the status. A list that the reply lacks is that of the reply before. */
  readonly shown: Shown;
}

export function readReply(result: Result, before: OrganizationStatus): OrganizationReply {
  const list = readList(result);
  const { privateEndpoints, privateEndpointsTotal } = before.organization ?? {};
  const kept = { privateEndpoints, privateEndpointsTotal };
  const name = typeof result.name === 'string' ? result.name : undefined;
  const shown = { ...result, name, ...(list ? shownList(list) : kept) };
  return { name, list, shown: fitTo(reportedOrganization, shown) };
}

/** How a list stands in the status. */
export function shownList(
  list: readonly Reported[],
): Pick<Shown, 'privateEndpoints' | 'privateEndpointsTotal'> {
  return { privateEndpoints: list, privateEndpointsTotal: list.length };
}

/** An API may leave a list out that is empty; one that cannot be read says nothing. */
export function isListLeftOut({ privateEndpoints }: Result): boolean {
  return privateEndpoints === undefined || privateEndpoints === null;
}

/** The entries of the last list that the status keeps. */
export function storedEntries({ organization }: OrganizationStatus = {}): Reported[] {
  return (organization?.privateEndpoints ?? []).flatMap(({ id, ...rest }) =>
    id === undefined ? [] : { id, ...rest },
  );
}
