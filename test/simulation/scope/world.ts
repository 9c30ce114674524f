import type { World } from '../life/world.ts';
import { CONTESTED, OBJECT, ORGANIZATION, OTHER } from './moves.ts';

const KEY = { id: 'key-of-team-a', secret: 'canary-of-team-a' };
const MINUTE = 60_000;

/**
 * One organization whose API behaves as the plainest does, one object with two endpoints, one
 * process.
 */
export const SMALL_WORLD: World = {
  seed: 'small scope',
  means: new Set(),
  isDense: false,
  elected: false,
  flags: {
    rate: '10/10s',
    timeoutSeconds: 35,
    cleanupDeadline: '10m',
    namespaces: undefined,
  },
  namespaces: [OBJECT.namespace],
  organizations: [{ id: ORGANIZATION, pool: [CONTESTED, OTHER], traits: [], others: [] }],
  pipes: [],
  activities: [],
  keys: [{ ...KEY, options: {} }],
  secrets: [
    { namespace: OBJECT.namespace, name: 'api', keyId: KEY.id, secret: KEY.secret, style: 'plain' },
  ],
  objects: [
    {
      id: 'object 1',
      plural: 'organizations',
      ...OBJECT,
      spec: {
        organizationId: ORGANIZATION,
        credentialsSecretRef: { name: 'api' },
        privateEndpoints: [CONTESTED, OTHER],
      },
      atMs: 0,
    },
  ],
  rate: undefined,
  restAt: 2 * MINUTE,
  endAt: 6 * MINUTE,
  sleeps: true,
};
