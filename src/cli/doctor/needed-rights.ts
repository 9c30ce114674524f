import { definitions } from '../../kinds/definitions.ts';
import { organizationType } from '../../kinds/organization/resource.ts';
import { EVENT } from '../../kube/events/event-body.ts';
import { LEASE } from '../../kube/lease/lease-record.ts';
import type { ResourceType } from '../../kube/resource.ts';
import { SECRET } from '../../kube/secrets/secret-state.ts';

/** Something that the operator must be allowed. */
export interface Right {
  readonly group: string;
  /** Plural, with a subresource as in `organizations/status`. */
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  /** Only on the object of this name. */
  readonly name?: string;
}

const READ = ['get', 'list', 'watch'] as const;

/** In every namespace it works in. A test holds that the manifests give exactly these. */
export const RIGHTS_ON_OBJECTS: readonly Right[] = [
  right(
    definitions.map(({ type }) => type),
    READ,
  ),
  // The finalizer of deletionPolicy: RemovePrivateEndpoints.
  right([organizationType], ['patch']),
  {
    ...right(
      definitions.map(({ type }) => type),
      ['update'],
    ),
    resources: definitions.map(({ type }) => `${type.plural}/status`),
  },
];

/** The same, on Secrets; may be cut down to those that objects refer to. */
export const RIGHTS_ON_SECRETS: Right = right([SECRET], READ);

export const RIGHTS_ON_EVENTS: Right = right([EVENT], ['create']);

/** In the namespace of its Lease. */
export function rightsOnLease(name: string): readonly Right[] {
  return [
    { ...right([LEASE], [...READ, 'update']), name },
    // This cannot be cut down to a name.
    right([LEASE], ['create']),
  ];
}

function right(types: readonly ResourceType[], verbs: readonly string[]): Right {
  return {
    group: types[0]?.group ?? '',
    resources: types.map(({ plural }) => plural),
    verbs,
  };
}
