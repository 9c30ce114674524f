import { leaseName } from '../../config/config.ts';
import { FLAGS } from '../../config/flag-table.ts';
import { dnsLabel, dnsName, namespaces as namespacesIn } from '../../config/flag-values.ts';
import { environmentName, readArguments } from '../../config/flags.ts';
import { labelSelector } from '../../config/label-selector.ts';
import type { KubeObject } from '../../kube/resource.ts';
import { operatorContainer } from '../cluster/operator-container.ts';

interface Variable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: {
    readonly configMapKeyRef?: { readonly name: string; readonly key: string };
    readonly fieldRef?: { readonly fieldPath: string };
  };
}

interface Container {
  readonly name: string;
  readonly args?: readonly string[];
  readonly env?: readonly Variable[];
  readonly envFrom?: readonly object[];
}

/** A Deployment, as far as doctor reads it. */
export interface DeploymentObject extends KubeObject {
  readonly spec?: {
    readonly replicas?: number;
    readonly template?: {
      readonly spec?: {
        readonly serviceAccountName?: string;
        readonly containers?: readonly Container[];
      };
    };
  };
}

/** What the data of ConfigMaps says, by name. */
export type ConfigMaps = ReadonlyMap<string, Readonly<Record<string, string>>>;

/** A release of Helm. */
export interface Release {
  readonly release: string;
  readonly namespace: string;
}

/** Of Helm: the Secret of a release has a name that is longer. */
const LONGEST_RELEASE = 53;

/**
 * The release that an object belongs to, by what Helm has written into it. With other text than a
 * name of each, which might be read as a flag, Helm has not written it.
 */
export function releaseOf({ metadata }: KubeObject): Release | undefined {
  const { labels = {}, annotations = {} } = metadata;
  const release = annotations['meta.helm.sh/release-name'];
  const namespace = annotations['meta.helm.sh/release-namespace'];
  if (labels['app.kubernetes.io/managed-by'] !== 'Helm') return undefined;
  if (release === undefined || namespace === undefined) return undefined;
  if (release.length > LONGEST_RELEASE || 'problem' in dnsName(release)) return undefined;
  return 'problem' in dnsLabel(namespace) ? undefined : { release, namespace };
}

/** An operator's Deployment, and what it tells the operator to do. */
export interface Deployment {
  readonly namespace: string;
  readonly name: string;
  readonly replicas: number;
  readonly serviceAccount: string;
  readonly container: string;
  /** The release that it belongs to. */
  readonly helm?: Release;
  /** Undefined where they could not be read as a whole. */
  readonly flags?: DeploymentFlags;
  /** Where one flag's value stands. */
  source(flag: string): FlagSource;
}

/** A ConfigMap, the arguments of the container, or its variables, where it may be missing. */
export type FlagSource =
  | { readonly in: 'config-map'; readonly name: string; readonly key: string }
  | { readonly in: 'variables' }
  | { readonly in: 'arguments' };

export interface DeploymentFlags {
  readonly namespaces: readonly string[];
  readonly selector: string;
  readonly secretSelector: string;
  readonly elects: boolean;
  readonly leaseNamespace: string;
  readonly leaseName: string;
  /** It works on another cluster than the one it runs in, as another user. */
  readonly isElsewhere: boolean;
}

/** The names of the ConfigMaps that its variables come from. */
export function configMapsOf(object: DeploymentObject): string[] {
  const names = variablesOf(containerOf(object)).flatMap(
    ({ valueFrom }) => valueFrom?.configMapKeyRef?.name ?? [],
  );
  return [...new Set(names)];
}

/** `configMaps` is undefined where they could not be read. */
export function readDeployment(
  object: DeploymentObject,
  configMaps: ConfigMaps | undefined,
): Deployment {
  const { namespace, name } = object.metadata;
  const container = containerOf(object);
  const helm = releaseOf(object);
  const env = configMaps && container && environmentOf(container, { configMaps, namespace });
  const flags = env && flagsOf(namespace, container, env);
  return {
    namespace,
    name,
    replicas: object.spec?.replicas ?? 1,
    serviceAccount: object.spec?.template?.spec?.serviceAccountName ?? 'default',
    container: container?.name ?? 'pipewright',
    ...(helm && { helm }),
    ...(flags && { flags }),
    source: (flag) => sourceOf(container, flag),
  };
}

/** Its label or its Lease says that it is an operator's. */
function containerOf({ spec }: DeploymentObject): Container | undefined {
  const containers = spec?.template?.spec?.containers ?? [];
  return operatorContainer(containers) ?? containers[0];
}

/** But for those of a ConfigMap that cannot be: the API server does not look at the name. */
function variablesOf(container: Container | undefined): readonly Variable[] {
  return (container?.env ?? []).filter(({ valueFrom }) => {
    const ref = valueFrom?.configMapKeyRef;
    return !ref || 'value' in dnsName(ref.name);
  });
}

/** Flags by which doctor judges: where another one has its value from does not matter. */
const JUDGED = [
  'namespaces',
  'selector',
  'secret-selector',
  'leader-elect',
  'leader-elect-namespace',
  'leader-elect-name',
  'kubeconfig',
] as const;
type Judged = (typeof JUDGED)[number];

interface Known {
  readonly configMaps: ConfigMaps;
  readonly namespace: string;
}

/** Undefined where a flag by which doctor judges may have a value that cannot be seen. */
function environmentOf(
  container: Container,
  known: Known,
): Readonly<Record<string, string>> | undefined {
  const { args = [], env = [], envFrom = [] } = container;
  if (envFrom.length > 0) return undefined;
  const { given } = readArguments(FLAGS, args, {});
  const judged = new Set(JUDGED.filter((flag) => !given.has(flag)).map(environmentName));
  const texts = env
    .filter(({ name }) => judged.has(name))
    .map((one) => [one.name, textOf(one, known)] as const);
  const seen = texts.flatMap(([name, text]) => (text === undefined ? [] : [[name, text] as const]));
  return seen.length < texts.length ? undefined : Object.fromEntries(seen);
}

/** Undefined where it cannot be seen; of a key that is not there, none. */
function textOf(
  { value = '', valueFrom }: Variable,
  { configMaps, namespace }: Known,
): string | undefined {
  if (!valueFrom) return value;
  const { configMapKeyRef: ref, fieldRef } = valueFrom;
  if (fieldRef?.fieldPath === 'metadata.namespace') return namespace;
  const data = ref && configMaps.get(ref.name);
  if (!data) return undefined;
  return Object.hasOwn(data, ref.key) ? data[ref.key] : '';
}

/** As the operator itself reads them; undefined where it would refuse one of these. */
function flagsOf(
  namespace: string,
  container: Container,
  env: Readonly<Record<string, string>>,
): DeploymentFlags | undefined {
  const { given } = readArguments(FLAGS, container.args ?? [], env);
  const text = (flag: Judged): string => given.get(flag)?.text ?? '';
  const names = text('namespaces') === '' ? { value: [] } : namespacesIn(text('namespaces'));
  const [selector, secretSelector] = [text('selector'), text('secret-selector')].map((one) =>
    one === '' ? { value: '' } : labelSelector(one),
  );
  if (!selector || !secretSelector) return undefined;
  if ('problem' in names || 'problem' in selector || 'problem' in secretSelector) return undefined;
  const leaseNamespace = text('leader-elect-namespace') || namespace;
  const named = text('leader-elect-name');
  if ('problem' in dnsLabel(leaseNamespace)) return undefined;
  if (named !== '' && 'problem' in dnsName(named)) return undefined;
  const shard = selector.value === '' ? undefined : selector.value;
  return {
    namespaces: names.value,
    selector: selector.value,
    secretSelector: secretSelector.value,
    // In a Pod it does unless it is told not to; with a kubeconfig it must be told.
    elects:
      text('leader-elect') === '' ? text('kubeconfig') === '' : text('leader-elect') === 'true',
    leaseNamespace,
    leaseName: named || leaseName(shard, names.value),
    isElsewhere: text('kubeconfig') !== '',
  };
}

function sourceOf(container: Container | undefined, flag: string): FlagSource {
  const { given } = readArguments(FLAGS, container?.args ?? [], {});
  if (given.has(flag)) return { in: 'arguments' };
  const variable = variablesOf(container).find(({ name }) => name === environmentName(flag));
  const ref = variable?.valueFrom?.configMapKeyRef;
  return ref ? { in: 'config-map', ...ref } : { in: 'variables' };
}
