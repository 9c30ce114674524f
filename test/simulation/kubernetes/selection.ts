import { apiVersionOf, type ServedKind } from './kinds.ts';
import type { Thing } from './objects.ts';
import { badRequest } from './refusal.ts';

/** What an object calls itself that is shown without its content. */
export const METADATA_ONLY = {
  kind: 'PartialObjectMetadata',
  apiVersion: 'meta.k8s.io/v1',
} as const;

/** Which objects of a collection a list or watch is about, and in which form. */
export interface Selection {
  readonly kind: ServedKind;
  /** '' for all. */
  readonly namespace: string;
  readonly fits: (thing: Thing) => boolean;
  /** As a watch sends it. */
  readonly shown: (thing: Thing) => object;
  /** As it stands in a list. */
  readonly listed: (thing: Thing) => object;
  readonly metadataOnly: boolean;
}

/**
 * Reads the selectors of a query and the form that is asked for; of field selectors only the one by
 * name, as the product uses it.
 */
export function selectionOf(
  kind: ServedKind,
  namespace: string,
  query: URLSearchParams,
  accept: string,
): Selection {
  const field = query.get('fieldSelector') ?? '';
  const name = /^metadata\.name=([^,]+)$/.exec(field)?.[1];
  if (field !== '' && name === undefined) throw badRequest(`field label not supported: ${field}`);
  const metadataOnly = accept.includes('as=PartialObjectMetadata');
  const shown = metadataOnly ? metadataOf : (thing: Thing) => thing;
  return {
    kind,
    namespace,
    fits: (thing) =>
      (namespace === '' || thing.metadata.namespace === namespace) &&
      (name === undefined || thing.metadata.name === name),
    shown,
    listed: kind.schema || metadataOnly ? shown : withoutType,
    metadataOnly,
  };
}

function metadataOf({ metadata }: Thing): object {
  return { ...METADATA_ONLY, metadata };
}

/** The API server's own kinds are not named in each item of a list. */
function withoutType(thing: Thing): object {
  const { apiVersion: _, kind: __, ...rest } = thing;
  return rest;
}

export function listKind({ kind }: ServedKind, accept: string): string {
  return accept.includes('as=PartialObjectMetadataList')
    ? 'PartialObjectMetadataList'
    : `${kind}List`;
}

export function listVersion(kind: ServedKind, accept: string): string {
  return accept.includes('as=PartialObjectMetadataList') ? 'meta.k8s.io/v1' : apiVersionOf(kind);
}
