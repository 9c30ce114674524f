import type { OrganizationBehaviour, PrivateEndpoint } from '../simulator/organization-types.ts';
import type { Fault } from '../simulator/types.ts';
import type { Verdict } from './kstatus.ts';
import { endpoint } from './organizations.ts';

/** One spec on the way to a state. */
interface Step {
  readonly spec: Readonly<Record<string, unknown>>;
  /** Awaited before the next one. */
  readonly reason?: string;
  /** Of another object. */
  readonly called?: string;
}

/** A state that a user can meet, how it comes about, and what tools have to make of it. */
export interface State {
  readonly name: string;
  readonly steps: readonly [Step, ...Step[]];
  /** How the API behaves from the last step on. */
  readonly play?: Partial<OrganizationBehaviour>;
  readonly fault?: Fault;
  /** What is there before. */
  readonly found?: readonly PrivateEndpoint[];
  readonly reason: string;
  readonly status: 'True' | 'False';
  readonly verdict: Verdict;
}

const list = (...ids: readonly string[]) => ({ privateEndpoints: ids.map((id) => endpoint(id)) });
const good = { status: 'True', verdict: 'Current' } as const;
const busy = { status: 'False', verdict: 'InProgress' } as const;
const failed = { status: 'False', verdict: 'Failed' } as const;

/** A Secret with a key of its own, for what concerns a whole key. */
export const OWN_KEY = 'own-key';

/**
 * Every reason of `Ready` that an Organization can have, but for those that pass at once or need
 * another cluster.
 */
export const STATES: readonly State[] = [
  {
    name: 'applied',
    steps: [{ spec: { name: 'Acme', ...list('ours') } }],
    reason: 'Applied',
    ...good,
  },
  {
    name: 'held',
    steps: [{ spec: { ...list('ours'), deletionPolicy: 'RemovePrivateEndpoints' } }],
    reason: 'Applied',
    ...good,
  },
  {
    name: 'described',
    steps: [{ spec: { privateEndpoints: [endpoint('found', { description: 'another' })] } }],
    found: [endpoint('found')],
    reason: 'Applied',
    ...good,
  },
  {
    name: 'planned',
    steps: [{ spec: { mode: 'Plan', ...list('ours') } }],
    reason: 'Planned',
    ...busy,
  },
  {
    name: 'planned-applied',
    steps: [{ spec: list('ours'), reason: 'Applied' }, { spec: { mode: 'Plan', ...list('ours') } }],
    reason: 'Planned',
    ...good,
  },
  {
    name: 'suspended-applied',
    steps: [
      { spec: list('ours'), reason: 'Applied' },
      { spec: { ...list('ours'), suspend: true } },
    ],
    reason: 'Suspended',
    ...good,
  },
  {
    name: 'suspended-new',
    steps: [{ spec: { ...list('ours'), suspend: true } }],
    reason: 'Suspended',
    ...busy,
  },
  {
    name: 'rejected',
    steps: [{ spec: list('bad', 'good') }],
    play: { refusedIds: ['bad'] },
    reason: 'Rejected',
    ...failed,
  },
  {
    name: 'conflicting',
    steps: [{ spec: list('ours') }],
    fault: { status: 409 },
    reason: 'Conflict',
    ...busy,
  },
  {
    name: 'unauthorized',
    steps: [{ spec: { ...list('ours'), credentialsSecretRef: { name: OWN_KEY } } }],
    fault: { status: 401 },
    reason: 'Unauthorized',
    ...failed,
  },
  {
    name: 'forbidden',
    steps: [{ spec: { name: 'Acme' } }],
    play: { name: 'forbidden' },
    reason: 'Forbidden',
    ...failed,
  },
  {
    name: 'missing',
    steps: [{ spec: list('ours') }],
    fault: { status: 404 },
    reason: 'NotFound',
    ...failed,
  },
  {
    name: 'dependent',
    steps: [{ spec: list('ours') }],
    fault: { status: 424 },
    reason: 'DependencyNotReady',
    ...busy,
  },
  {
    name: 'html',
    steps: [{ spec: list('ours') }],
    fault: { status: 200, body: 'html' },
    reason: 'UnexpectedResponse',
    ...busy,
  },
  {
    name: 'ignored',
    steps: [{ spec: list('ours') }],
    play: { add: 'ignored' },
    reason: 'NotConfirmed',
    ...busy,
  },
  {
    name: 'unlisted',
    steps: [{ spec: list('ours') }],
    play: { list: 'absent' },
    reason: 'NotConfirmed',
    ...busy,
  },
  {
    name: 'blocked',
    steps: [
      { spec: list('ours'), reason: 'Applied' },
      { spec: { ...list(), maxPrivateEndpointRemovals: 0 } },
    ],
    reason: 'RemovalBlocked',
    ...failed,
  },
  {
    name: 'elsewhere',
    steps: [{ spec: list('same') }],
    found: [endpoint('same', { region: 'us-east-1' })],
    reason: 'EndpointConflict',
    ...failed,
  },
  {
    name: 'waiting',
    steps: [{ spec: list('ours'), called: 'holder', reason: 'Applied' }, { spec: list('ours') }],
    reason: 'TargetConflict',
    ...busy,
  },
  {
    name: 'keyless',
    steps: [{ spec: { ...list('ours'), credentialsSecretRef: { name: 'nowhere' } } }],
    reason: 'SecretNotFound',
    ...busy,
  },
];
