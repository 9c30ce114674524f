import fc from 'fast-check';

/** Which version or uid of an object is sent: what it has, what it had first, or none. */
type Which = 'present' | 'first' | 'none';

/** One request, in words that mean the same on both servers. */
export type Operation =
  | { readonly type: 'create'; readonly at: Place; readonly draft: Draft }
  | (Update & { readonly type: 'put'; readonly draft: Draft })
  | (Update & { readonly type: 'put-status'; readonly status: object })
  | (Update & { readonly type: 'patch' | 'patch-status'; readonly change: object })
  | (Update & { readonly type: 'delete' })
  | { readonly type: 'get'; readonly at: Place }
  | { readonly type: 'list'; readonly at: Place };

export interface Place {
  readonly plural: 'pipesettings' | 'organizations';
  readonly name: string;
}

interface Update {
  readonly at: Place;
  readonly version: Which;
  readonly uid: Which;
}

/** What of an object a client says. */
export interface Draft {
  readonly spec: object;
  readonly finalizers: readonly string[];
  readonly note: string | undefined;
}

const HOLD = 'example.com/hold';
const FINALIZERS = [[], [], [HOLD], [HOLD, 'example.com/other']];
const ID = '0b1d7c52-4f0e-4d0b-9a53-2f1c6e1d8a10';
const COMMON = { organizationId: ID, credentialsSecretRef: { name: 'api' } };
const PIPE = { ...COMMON, serviceId: 's', pipeId: 'p' };

/** The good and the bad; what a schema does not know is pruned, and so is a null. */
const SPECS: Readonly<Record<Place['plural'], readonly object[]>> = {
  pipesettings: [
    { ...PIPE, settings: { engine_max_threads: 4 } },
    { ...PIPE, settings: { engine_max_threads: 9 }, suspend: true },
    { ...PIPE, settings: { engine_max_threads: 4, unknown: 1 }, other: { a: 1 } },
    { ...PIPE, settings: { engine_max_threads: 4 }, suspend: null },
    { ...PIPE, settings: { engine_max_threads: 400 } },
    { ...PIPE, settings: {} },
    { ...PIPE, settings: { engine_max_threads: '4' } },
  ],
  organizations: [
    { ...COMMON, name: 'One' },
    { ...COMMON, name: 'Two', privateEndpoints: [] },
    { ...COMMON, privateEndpoints: [{ id: 'a', cloudProvider: 'gcp', region: 'eu', more: true }] },
    { ...COMMON, name: 'One', reassertInterval: '1m' },
    COMMON,
  ],
};
/** The creation of an object that nothing is wrong with. */
export function creationOf(at: Place): Operation {
  const spec = SPECS[at.plural][0] ?? {};
  return { type: 'create', at, draft: { spec, finalizers: [], note: undefined } };
}

const CONDITION = {
  type: 'Ready',
  status: 'True',
  reason: 'Applied',
  message: 'All of it.',
  lastTransitionTime: '2026-03-01T00:00:00Z',
};
const STATUSES = [
  { observedGeneration: 1, conditions: [CONDITION] },
  { observedGeneration: 2, conditions: [CONDITION], nextAttemptTime: '2026-03-01T00:00:00Z' },
  { observedGeneration: 2, conditions: [CONDITION], unknown: { a: 1 } },
  { observedGeneration: 'two', conditions: [CONDITION] },
];
const CHANGES = [
  { metadata: { finalizers: [HOLD] } },
  { metadata: { finalizers: null } },
  { metadata: { finalizers: ['example.com/new'] } },
  { metadata: { annotations: { a: '1', b: null } } },
  { spec: { suspend: true } },
  { spec: { suspend: null } },
  { status: { observedGeneration: 3 } },
  {},
];
const STATUS_CHANGES = [
  { status: { observedGeneration: 3 } },
  { status: { observedGeneration: 4, unknown: 1 }, spec: { suspend: true } },
  { status: { observedGeneration: 'four' } },
  { metadata: { finalizers: [HOLD] } },
];

const which = fc.constantFrom<Which>('present', 'present', 'present', 'first', 'none');
const uid = fc.constantFrom<Which>('none', 'none', 'present', 'first');
const placed = fc.record({
  plural: fc.constantFrom<Place['plural']>('pipesettings', 'organizations'),
  name: fc.constantFrom('one', 'two'),
});

const operation = placed.chain((place): fc.Arbitrary<Operation> => {
  const at = fc.constant(place);
  const draft = fc.record({
    spec: fc.constantFrom(...SPECS[place.plural]),
    finalizers: fc.constantFrom(...FINALIZERS),
    note: fc.constantFrom(undefined, 'x', 'y'),
  });
  const update = { at, version: which, uid };
  const change = fc.constantFrom(...CHANGES);
  const statusChange = fc.constantFrom(...STATUS_CHANGES);
  return fc.oneof(
    { weight: 3, arbitrary: fc.record({ type: fc.constant('create'), at, draft }) },
    { weight: 3, arbitrary: fc.record({ type: fc.constant('put'), ...update, draft }) },
    {
      weight: 2,
      arbitrary: fc.record({
        type: fc.constant('put-status'),
        ...update,
        status: fc.constantFrom(...STATUSES),
      }),
    },
    { weight: 2, arbitrary: fc.record({ type: fc.constant('patch'), ...update, change }) },
    {
      weight: 1,
      arbitrary: fc.record({ type: fc.constant('patch-status'), ...update, change: statusChange }),
    },
    { weight: 2, arbitrary: fc.record({ type: fc.constant('delete'), ...update }) },
    { weight: 1, arbitrary: fc.record({ type: fc.constantFrom('get', 'list'), at }) },
  ) as fc.Arbitrary<Operation>;
});

export const operations = fc.array(operation, { minLength: 10, maxLength: 40, size: 'max' });
