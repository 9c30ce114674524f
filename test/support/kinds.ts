import { RECORD, RECORD_PATH } from './examples.ts';

/**
 * The kinds as their users know them, written down apart from the operator's own types. A new one
 * has its place here; what is said of every kind then holds of it too.
 */
const ORGANIZATION = '0b1d7c52-91a4-4f0e-8a3b-6f1e2d3c4b5a';
const credentialsSecretRef = { name: 'management-api' };

/** By short names, as kubectl takes them: a spec that nothing is wrong with. */
export const GOOD = {
  pset: {
    organizationId: 'org',
    serviceId: 'service',
    pipeId: 'pipe',
    credentialsSecretRef,
    settings: { engine_max_threads: 8 },
  },
  porg: { organizationId: ORGANIZATION, credentialsSecretRef, name: 'Acme' },
  pact: { organizationId: 'org', activityId: 'record', credentialsSecretRef },
};
export type Kind = keyof typeof GOOD;

/** Those that only read have neither mode nor interval. */
export const NAMES = {
  pset: { kind: 'PipeSettings', plural: 'pipesettings', onlyReads: false },
  porg: { kind: 'Organization', plural: 'organizations', onlyReads: false },
  pact: { kind: 'Activity', plural: 'activities', onlyReads: true },
} as const satisfies Record<Kind, object>;
export const KINDS = Object.keys(NAMES) as readonly Kind[];
export const PLURALS = Object.values(NAMES)
  .map(({ plural }) => plural)
  .toSorted();

/** Of a kind that reads: its example, what the API has for that, and where the status shows it. */
export const EXAMPLES_READ: readonly {
  readonly kind: Kind;
  readonly name: string;
  readonly path: string;
  readonly record: object;
  readonly field: string;
}[] = [
  { kind: 'pact', name: 'who-created-it', path: RECORD_PATH, record: RECORD, field: 'activity' },
];

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
