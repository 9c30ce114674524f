import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { activityType } from '../../src/kinds/activity/resource.ts';
import { organizationType } from '../../src/kinds/organization/resource.ts';
import { pipeSettingsType } from '../../src/kinds/pipe-settings/resource.ts';
import { applyYaml, controlPlane, newNamespace } from '../controlplane/client.ts';
import { spellings } from './canary.ts';
import { asAdmin, change } from './cluster.ts';
import { ensureCrds, goodOrganization, goodSpec, manifest, putStatus } from './crd.ts';
import { startNode } from './fake-node.ts';
import { pluginFolder } from './plugin.ts';

/** Objects and an operator that have heard secrets in every place where one might stand. */
export interface BundleWorld {
  /** Of the objects. */
  readonly namespace: string;
  /** Of the operator. */
  readonly system: string;
  /** What must stand in no file. */
  readonly canaries: readonly string[];
  /** For the plugin: a kubectl that answers for what no Pod can here. */
  readonly env: Readonly<Record<string, string>>;
  /** How the logs were asked for. */
  logQueries(): readonly URLSearchParams[];
  /** Of a cluster of which nobody is left. */
  deadKubeconfig(): Promise<string>;
  close(): Promise<void>;
}

const POD = 'pipewright-5d8f-abcde';
const LABELS = { 'app.kubernetes.io/name': 'pipewright' };
const PORT = 8081;
const TIME = '2026-11-26T07:00:00Z';

const random = (): string => randomBytes(6).toString('hex');

/** A key with all that YAML, JSON, HTML and URLs escape. */
function hardKey(): { readonly id: string; readonly secret: string; readonly core: string } {
  const core = random();
  return { core, id: `id-${core}-of-key`, secret: `s'${core}"\\n<&>: #%41 {${core}}` };
}

/** As a server that repeats what it got would write them. */
function echoes({ id, secret }: { readonly id: string; readonly secret: string }): string[] {
  const html = secret
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
  return [
    id,
    secret,
    JSON.stringify(secret),
    encodeURIComponent(secret),
    html,
    `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
  ];
}

export async function openBundleWorld(): Promise<BundleWorld> {
  await ensureCrds();
  // In an order that holds, as lists of the bundle are sorted by name.
  const [namespace = '', system = ''] = [await newNamespace(), await newNamespace()].sort();
  const [key, proxy, other, literal, person] = [
    hardKey(),
    hardKey(),
    hardKey(),
    hardKey(),
    hardKey(),
  ];
  const proxyUrl = `http://proxy-user:${proxy.core}@proxy.example.com:3128`;
  await makeSecret(namespace, 'management-api', {
    keyId: key.id,
    keySecret: `${key.secret}\n`,
    somethingElse: other.secret,
  });
  await makeSecret(system, 'proxy', { url: proxyUrl });
  await makeObjects(namespace, { key, other, literal, person });
  const log = echoes(key)
    .map((echo) => `${JSON.stringify({ level: 'warn', msg: `the API echoed ${echo}` })}\n`)
    .join('');
  const node = await startNode({
    [POD]: { now: log, previous: `${JSON.stringify({ msg: `via ${proxyUrl}` })}\n` },
  });
  await makeOperator(system, { node: node.name, literal });
  const folder = await mkdtemp(join(controlPlane.folder, 'bundle-'));
  const metrics = join(folder, 'metrics');
  await writeFile(metrics, `pipewright_up{key="${key.id}"} 1\n`);
  return {
    namespace,
    system,
    canaries: [key, proxy, other, literal, person].flatMap(({ id, secret, core }) => [
      core,
      ...spellings(id, secret),
    ]),
    env: { PATH: await pathWithMetrics(folder, { system, metrics }) },
    logQueries: () => node.queries,
    async deadKubeconfig() {
      const text = await readFile(controlPlane.adminKubeconfig, 'utf8');
      const file = join(folder, 'dead');
      await writeFile(file, text.replaceAll(controlPlane.server, 'https://127.0.0.1:1'));
      return file;
    },
    close: () => node.close(),
  };
}

/**
 * The API server proxies to no address of its own machine, and here all Pods have one: so kubectl
 * has the metrics from a file, and all else from the API server.
 */
async function pathWithMetrics(
  folder: string,
  { system, metrics }: { readonly system: string; readonly metrics: string },
): Promise<string> {
  const path = `/api/v1/namespaces/${system}/pods/${POD}:${PORT}/proxy/metrics`;
  const script = join(folder, 'kubectl');
  await writeFile(
    script,
    `#!/bin/sh\ncase " $* " in *" --raw ${path} "*) exec cat "${metrics}";; esac\nexec "${controlPlane.kubectlProgram}" "$@"\n`,
  );
  await chmod(script, 0o755);
  return `${folder}:${await pluginFolder()}:${process.env['PATH'] ?? ''}`;
}

async function makeSecret(
  namespace: string,
  name: string,
  stringData: Readonly<Record<string, string>>,
): Promise<void> {
  const metadata = { name };
  await asAdmin('POST', `/api/v1/namespaces/${namespace}/secrets`, { metadata, stringData });
}

type Key = ReturnType<typeof hardKey>;

async function makeObjects(
  namespace: string,
  { key, other, literal, person }: Readonly<Record<'key' | 'other' | 'literal' | 'person', Key>>,
): Promise<void> {
  const orders = manifest(pipeSettingsType, 'orders', goodSpec);
  const annotations = {
    'example.com/note': literal.secret,
    'pipewright.dev/reconcile-requested-at': '1',
  };
  const annotated = { ...orders, metadata: { ...orders.metadata, annotations } };
  // Applied as people do, so that there is a copy of it in an annotation.
  await applyYaml(JSON.stringify(annotated), namespace);
  await putStatus(namespace, 'orders', {
    observedGeneration: 1,
    conditions: [condition('Rejected', `The API said ${echoes(key).join(' and said ')}`)],
    lastRequest: {
      operation: 'updatePipeSettings',
      requestId: 'req-1',
      httpStatus: 400,
      outcome: 'Rejected',
      time: TIME,
      message: `echo of ${other.secret}`,
    },
  });
  const acme = manifest(organizationType, 'o'.repeat(253), { ...goodOrganization, name: key.id });
  await applyYaml(JSON.stringify(acme), namespace);
  const spec = {
    organizationId: goodSpec.organizationId,
    activityId: 'record-1',
    credentialsSecretRef: goodSpec.credentialsSecretRef,
  };
  await applyYaml(JSON.stringify(manifest(activityType, 'who', spec)), namespace);
  const activity = { id: 'record-1', actorId: person.core, actorDetails: person.secret };
  const status = { observedGeneration: 1, conditions: [condition('Fetched', 'Fetched')], activity };
  await putStatus(namespace, 'who', status, activityType);
  await makeEvent(namespace, `The API echoed ${key.secret}`);
}

function condition(reason: string, message: string): object {
  const status = reason === 'Fetched' ? 'True' : 'False';
  return {
    type: 'Ready',
    status,
    reason,
    message,
    observedGeneration: 1,
    lastTransitionTime: TIME,
  };
}

async function makeEvent(namespace: string, note: string): Promise<void> {
  const path = `/apis/pipewright.dev/v1alpha1/namespaces/${namespace}/pipesettings/orders`;
  const { metadata } = await asAdmin<{ metadata: { uid: string } }>('GET', path);
  await asAdmin('POST', `/apis/events.k8s.io/v1/namespaces/${namespace}/events`, {
    metadata: { name: 'orders.1' },
    eventTime: '2026-11-26T07:00:00.000000Z',
    type: 'Warning',
    reason: 'Rejected',
    action: 'Reconcile',
    note,
    reportingController: 'pipewright.dev/pipewright',
    reportingInstance: POD,
    regarding: {
      apiVersion: 'pipewright.dev/v1alpha1',
      kind: 'PipeSettings',
      namespace,
      name: 'orders',
      uid: metadata.uid,
    },
  });
}

/** Stored and never run: there are no controllers here. */
async function makeOperator(
  system: string,
  { node, literal }: { readonly node: string; readonly literal: Key },
): Promise<void> {
  const flag = (name: string) => ({
    name,
    valueFrom: { configMapKeyRef: { name: 'pipewright-flags', key: name } },
  });
  const container = {
    ...programs(literal),
    name: 'operator',
    image: 'pipewright:0.1.0',
    args: [
      '--log-level=debug',
      `--password=${literal.core}`,
      literal.secret,
      '--api-allow-http',
      `--token=${literal.core}`,
    ],
    env: [
      flag('PIPEWRIGHT_API_URL'),
      { name: 'HTTP_PROXY', value: `http://me:${literal.core}@proxy.example.com` },
      { name: 'HTTPS_PROXY', valueFrom: { secretKeyRef: { name: 'proxy', key: 'url' } } },
      { name: 'PIPEWRIGHT_API_RATE', value: '5/10s' },
      { name: 'SOMETHING', value: literal.secret },
    ],
    ports: [{ name: 'http', containerPort: PORT }],
  };
  const other = {
    ...programs(literal),
    image: 'other',
    command: ['run', literal.core],
    args: ['--log-level', literal.core],
    env: [{ name: 'PIPEWRIGHT_LOG_LEVEL', value: literal.core }],
  };
  const podSpec = {
    automountServiceAccountToken: false,
    initContainers: [{ ...other, ...NO_HOOKS, name: 'before' }],
    containers: [{ ...other, name: 'sidecar' }, container],
    hostAliases: [{ ip: '10.0.0.1', hostnames: [`h-${literal.core}`] }],
    dnsConfig: { searches: [`${literal.core}.example.com`] },
    volumes: [
      {
        name: 'vault',
        csi: { driver: 'csi.example.com', volumeAttributes: { token: literal.secret } },
      },
      { name: 'share', flexVolume: { driver: 'x/y', options: { password: literal.secret } } },
      { name: 'disk', hostPath: { path: `/${literal.core}` } },
    ],
  };
  const annotations = annotated(literal);
  await asAdmin('POST', `/api/v1/namespaces/${system}/configmaps`, {
    metadata: { name: 'pipewright-flags', annotations },
    data: { PIPEWRIGHT_API_URL: 'https://api.example.com', ELSE: literal.secret },
  });
  await asAdmin('POST', `/apis/apps/v1/namespaces/${system}/deployments`, {
    metadata: { name: 'pipewright', labels: LABELS, annotations },
    spec: {
      selector: { matchLabels: LABELS },
      template: { metadata: { labels: LABELS, annotations }, spec: podSpec },
    },
  });
  const pods = `/api/v1/namespaces/${system}/pods`;
  await asAdmin('POST', pods, {
    metadata: { name: POD, labels: LABELS, annotations },
    spec: { ...podSpec, nodeName: node },
  });
  const containerStatuses = ['sidecar', 'operator'].map((name) => ({
    name,
    image: 'x',
    imageID: '',
    ready: true,
    restartCount: 1,
    state: {
      waiting: { reason: 'RunContainerError', message: `exec: "${literal.core}": not found` },
    },
    lastState: {
      terminated: {
        exitCode: 1,
        reason: 'Error',
        message: name === 'operator' ? 'the end of the operator' : literal.secret,
      },
    },
  }));
  const conditions = [
    { type: 'Ready', status: 'False', reason: 'ContainersNotReady', message: 'not ready yet' },
    { type: 'example.com/gate', status: 'False', reason: 'Closed', message: literal.secret },
  ];
  await change(`${pods}/${POD}/status`, (stored) => ({
    ...stored,
    status: { phase: 'Running', conditions, containerStatuses },
  }));
  await makePodEvents(system, literal);
  await asAdmin('POST', `/apis/coordination.k8s.io/v1/namespaces/${system}/leases`, {
    metadata: { name: 'pipewright', annotations },
    spec: { holderIdentity: `${POD}_1` },
  });
}

/** What else runs in a container, and may be given a password. */
function programs({ core, secret }: Key): object {
  const httpHeaders = [{ name: 'Authorization', value: `Bearer ${core}` }];
  const exec = { command: ['curl', '-u', secret] };
  return {
    livenessProbe: { httpGet: { path: `/livez?token=${core}`, port: 8081, httpHeaders } },
    readinessProbe: { exec },
    startupProbe: { httpGet: { path: '/readyz', port: 8081, host: `${core}.example.com` } },
    lifecycle: { postStart: { exec }, preStop: { httpGet: { port: 80, httpHeaders } } },
    workingDir: `/${core}`,
  };
}

/** Containers that run before the others have none. */
const NO_HOOKS = {
  livenessProbe: undefined,
  readinessProbe: undefined,
  startupProbe: undefined,
  lifecycle: undefined,
};

/** The names of some are those of tools that are known. */
function annotated({ core, secret }: Key): Readonly<Record<string, string>> {
  return {
    'vault.example.com/token': secret,
    'checksum/config': core,
    'pipewright.dev/not-ours': core,
    'argocd.argoproj.io/manifest-generate-paths': core,
    'meta.helm.sh/release-name': 'release-of-pipewright',
  };
}

/** As the kubelet writes them, which repeats commands, their output and addresses. */
async function makePodEvents(system: string, { core }: Key): Promise<void> {
  const messages: Readonly<Record<string, string>> = {
    FailedPostStartHook: `Exec lifecycle hook ([curl -u ${core}]) for Container "operator" failed`,
    Unhealthy: `Readiness probe failed: curl: wrong password ${core}`,
    Failed: `Error: failed to start container "operator": exec: "${core}": not found`,
    FailedMount: `MountVolume.SetUp failed for volume "vault": token ${core}`,
    FailedScheduling: '0/3 nodes are available: 3 Insufficient memory.',
  };
  for (const [reason, message] of Object.entries(messages))
    await asAdmin('POST', `/api/v1/namespaces/${system}/events`, {
      metadata: { name: `pod.${reason.toLowerCase()}` },
      type: 'Warning',
      reason,
      message,
      source: { component: 'kubelet' },
      involvedObject: { apiVersion: 'v1', kind: 'Pod', namespace: system, name: POD },
      lastTimestamp: TIME,
      firstTimestamp: TIME,
    });
}
