/**
 * The kinds as their users know them, written down apart from the operator's own types. A new one
 * has its place here; what is said of every kind then holds of it too.
 */
const organizationId = '0b1d7c52-91a4-4f0e-8a3b-6f1e2d3c4b5a';
const credentialsSecretRef = { name: 'management-api' };

/** By short names, as kubectl takes them: a spec that nothing is wrong with. */
export const GOOD = {
  pset: {
    organizationId,
    serviceId: '5c2f',
    pipeId: '9e44',
    credentialsSecretRef,
    settings: { engine_max_threads: 8 },
  },
  porg: { organizationId, credentialsSecretRef, name: 'Acme Data' },
  pact: { organizationId, activityId: '3aa1f6d8', credentialsSecretRef },
};
export type Kind = keyof typeof GOOD;

interface Names {
  readonly kind: string;
  readonly plural: string;
  /** Has neither mode nor interval. */
  readonly onlyReads?: true;
}

export const NAMES: Readonly<Record<Kind, Names>> = {
  pset: { kind: 'PipeSettings', plural: 'pipesettings' },
  porg: { kind: 'Organization', plural: 'organizations' },
  pact: { kind: 'Activity', plural: 'activities', onlyReads: true },
};
export const KINDS = Object.keys(NAMES) as readonly Kind[];
export const PLURALS = Object.values(NAMES)
  .map(({ plural }) => plural)
  .toSorted();

/** The fields of its spec that name what it is about. */
export function idsOf(kind: Kind): readonly string[] {
  return Object.keys(GOOD[kind]).filter((field) => field.endsWith('Id'));
}

export function manifestOf(kind: Kind, name: string, spec: unknown) {
  return {
    apiVersion: 'pipewright.dev/v1alpha1',
    kind: NAMES[kind].kind,
    metadata: { name },
    spec,
  };
}
