import { plainLine } from '../../../api/reply/text.ts';
import { cutText } from '../../../controller/conditions.ts';
import { withoutUndefined } from '../../shared/common-status.ts';
import { LIMITS } from '../limits.ts';
import type { OrganizationStatus } from '../resource.ts';
import { type Reported, readList } from './endpoints.ts';

type Shown = NonNullable<OrganizationStatus['organization']>;

/** What a result says, brought to our types. */
export interface OrganizationReply {
  readonly name?: string;
  /** Undefined: the reply has no list, so what is in it is unknown. */
  readonly list: readonly Reported[] | undefined;
  /** In the bounds of the status. A list that the reply lacks is that of the reply before. */
  readonly shown: Shown;
}

export function readReply(
  result: Readonly<Record<string, unknown>>,
  before: OrganizationStatus | undefined,
): OrganizationReply {
  const list = readList(result);
  const name = typeof result.name === 'string' ? result.name : undefined;
  return {
    ...(name !== undefined && { name }),
    list,
    shown: withoutUndefined<Shown>({
      id: textOf(result, 'id'),
      name: name && cutText(name, LIMITS.name),
      createdAt: textOf(result, 'createdAt'),
      ...(list ? shownList(list) : keptList(before)),
      byocConfig: byocConfigs(result),
    }),
  };
}

/** An API may leave a list out that is empty; one that cannot be read says nothing. */
export function isListLeftOut({ privateEndpoints }: Readonly<Record<string, unknown>>): boolean {
  return privateEndpoints === undefined || privateEndpoints === null;
}

/** How a list stands in the status. */
export function shownList(
  list: readonly Reported[],
): Pick<Shown, 'privateEndpoints' | 'privateEndpointsTotal'> {
  return {
    privateEndpoints: list
      .slice(0, LIMITS.reportedEndpoints)
      .map(({ id, cloudProvider, region, description }) =>
        withoutUndefined({
          id: cutText(id, LIMITS.id),
          description: description && line(description, LIMITS.reportedDescription),
          cloudProvider: cloudProvider && cutText(cloudProvider, LIMITS.cloudProvider),
          region: region && cutText(region, LIMITS.region),
        }),
      ),
    privateEndpointsTotal: list.length,
  };
}

function keptList(before: OrganizationStatus | undefined): Partial<Shown> {
  const { privateEndpoints, privateEndpointsTotal } = before?.organization ?? {};
  return { privateEndpoints, privateEndpointsTotal };
}

function byocConfigs(result: Readonly<Record<string, unknown>>): Shown['byocConfig'] {
  const list = Object.hasOwn(result, 'byocConfig') ? result.byocConfig : undefined;
  if (!Array.isArray(list)) return undefined;
  return list.slice(0, LIMITS.byocConfigs).map((entry: unknown) => {
    const config = typeof entry === 'object' && entry !== null ? { ...entry } : {};
    return withoutUndefined({
      id: textOf(config, 'id'),
      state: textOf(config, 'state'),
      accountName: textOf(config, 'accountName'),
      regionId: textOf(config, 'regionId'),
      cloudProvider: textOf(config, 'cloudProvider'),
    });
  });
}

function textOf(from: Readonly<Record<string, unknown>>, field: string): string | undefined {
  const value = Object.hasOwn(from, field) ? from[field] : undefined;
  if (typeof value === 'string') return line(value, LIMITS.reportedText);
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}

/** One line without control characters. */
function line(text: string, most: number): string {
  return plainLine(text, most, (same) => same);
}

/** The entries of the last list that the status keeps. */
export function storedEntries(status: OrganizationStatus | undefined): Reported[] {
  return (status?.organization?.privateEndpoints ?? []).flatMap(({ id, ...rest }) =>
    id === undefined ? [] : [{ id, ...rest }],
  );
}
