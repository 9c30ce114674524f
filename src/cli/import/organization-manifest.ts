import { definition } from '../../kinds/organization/definition.ts';
import type { Reported } from '../../kinds/organization/endpoints/endpoints.ts';
import { LIMITS } from '../../kinds/organization/limits.ts';
import { parseSpec } from '../../kinds/organization/resource.ts';
import { UserError } from '../user-error.ts';
import { counted } from '../words.ts';
import { ANY_SPEC, declarable, type HoldsKey } from './endpoints.ts';
import { asPoints, checkedYaml, objectNameFrom, shownLine } from './manifest.ts';

/** What an object says before anything is known of the organization. */
export interface Wanted {
  readonly organizationId: string;
  readonly credentialsSecretRef: {
    readonly name: string;
    readonly keyIdKey?: string | undefined;
    readonly keySecretKey?: string | undefined;
  };
  /** Of the object; absent: made from the organization's. */
  readonly name?: string | undefined;
  readonly namespace?: string | undefined;
}

/** What the API has. */
export interface Seen {
  readonly name?: string | undefined;
  /** Undefined: the reply has no list. */
  readonly list: readonly Reported[] | undefined;
  /** How many entries of the list nobody can read. */
  readonly unreadable: number;
  readonly holdsKey: HoldsKey;
}

export interface Printed {
  readonly yaml: string;
  readonly endpoints: number;
  /** Sentences for the user; they stand above the manifest as well. */
  readonly remarks: readonly string[];
  /** Something that the API has is not in the manifest. */
  readonly lacks: boolean;
}

/**
 * The Organization that declares what the API has: applied, it changes nothing there. Throws
 * UserError where that cannot be said.
 */
export function organizationManifest(
  wanted: Wanted,
  seen: Seen,
  above: readonly string[],
): Printed {
  const name = declarableName(seen);
  const { listed, leftOut, remarks } = declarable(seen.list ?? [], seen.holdsKey);
  refuseTooMany(listed.length);
  // Where all are left out, an empty list would say that there are none.
  const isListed = seen.list !== undefined && (listed.length > 0 || leftOut.length === 0);
  const missing = [...name.missing, ...missingFrom(seen), ...leftOut];
  const { organizationId, credentialsSecretRef } = wanted;
  if (name.value === undefined && !isListed)
    throw new UserError(
      `no manifest is printed, because there is nothing that it could declare: ${shownLine(missing.join('; '))}`,
    );
  const spec = {
    organizationId,
    credentialsSecretRef,
    ...(name.value !== undefined && { name: name.value }),
    ...(isListed && { privateEndpoints: listed, adoptPrivateEndpoints: true }),
  };
  const metadata = {
    name: wanted.name ?? objectNameFrom(name.value, organizationId),
    namespace: wanted.namespace,
  };
  const all = [...missing, ...remarks];
  const yaml = checkedYaml({ definition, metadata, spec }, [...above, ...asPoints(all)], parseSpec);
  return { yaml, endpoints: listed.length, remarks: all, lacks: missing.length > 0 };
}

/** Which ones to own would be a choice that is not made here. */
export function refuseTooMany(count: number): void {
  if (count <= LIMITS.endpoints) return;
  throw new UserError(
    `no manifest is printed, because the organization has ${counted(count, 'private endpoint')} and an Organization lists at most ${LIMITS.endpoints}; write the manifest by hand and list those that Pipewright is to own: the others stay as they are`,
  );
}

function missingFrom({ list, unreadable }: Seen): string[] {
  if (!list)
    return [
      'the private endpoints are left out: the reply has no list that can be read. That does not mean that there are none, so the manifest does not declare any and nothing of them changes',
    ];
  if (unreadable === 0) return [];
  return [
    `${counted(unreadable, 'entry', 'entries')} of the list of private endpoints cannot be read and ${unreadable === 1 ? 'is' : 'are'} left out`,
  ];
}

function declarableName({ name, holdsKey }: Seen): {
  readonly value?: string;
  readonly missing: readonly string[];
} {
  const without = (why: string) => ({
    missing: [`the name of the organization is left out, so it is not managed: ${why}`],
  });
  if (name === undefined) return without('the reply has none');
  if (holdsKey(name)) return without('the id or the secret of the API key stands in it');
  if (!name.isWellFormed()) return without('it is no valid Unicode text');
  const read = parseSpec({ spec: { ...ANY_SPEC, name } });
  return read.ok ? { value: name, missing: [] } : without(read.message);
}
