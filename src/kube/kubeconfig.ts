import { isTextOfFile, shown } from '../shown.ts';
import { Cluster } from './cluster.ts';

const IN_A_POD = "in a pod mount the ServiceAccount's token (automountServiceAccountToken)";
/** What client-node calls the context that it makes where it has found nothing. */
const NOTHING_FOUND = 'loaded-context';
const UNPARSED = 'unparsed';

/**
 * The cluster of a kubeconfig: the one named, else that of KUBECONFIG or ~/.kube/config, else the
 * one this process runs in. Throws Error with what to do where there is none, or no credential.
 */
export async function loadCluster({
  kubeconfig,
  context,
}: {
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
} = {}): Promise<Cluster> {
  const cluster = new Cluster();
  const file = kubeconfig ?? process.env['KUBECONFIG'] ?? '';
  if (isTextOfFile(file))
    throw new Error(
      `${kubeconfig === undefined ? 'KUBECONFIG' : '--kubeconfig'} holds the text of a file; give the path of one`,
    );
  const where = `the kubeconfig ${file === '' ? '~/.kube/config' : shown(file)}`;
  const failure = load(cluster, kubeconfig);
  if (failure !== undefined)
    throw new Error(
      failure === UNPARSED
        ? `${where} cannot be parsed; try "kubectl config view" on it`
        : `cannot read ${where} (${failure}); pass --kubeconfig, or ${IN_A_POD}`,
    );
  const chosen = context ?? cluster.getCurrentContext();
  if (kubeconfig === undefined && chosen === NOTHING_FOUND)
    throw new Error(`there is no kubeconfig; pass --kubeconfig, or ${IN_A_POD}`);
  const names = cluster.getContexts().map(({ name }) => name);
  if (names.length === 0) throw new Error(`no context at all in ${where}; is that a kubeconfig?`);
  if (!names.includes(chosen))
    throw new Error(
      `${chosen ? `no context ${shown(chosen)}` : 'no current context'} in ${where}; pass --context with one of: ${names.join(', ')}`,
    );
  cluster.setCurrentContext(chosen);
  const problem = problemOf(cluster);
  if (problem !== undefined) throw new Error(`context ${shown(chosen)} of ${where} ${problem}`);
  informPlugin(cluster);
  await cluster.access();
  return cluster;
}

/**
 * The code of what went wrong. No message: a parser's quotes the file, which has credentials.
 */
function load(cluster: Cluster, kubeconfig: string | undefined): string | undefined {
  try {
    if (kubeconfig === undefined) cluster.loadFromDefault(undefined, true);
    else cluster.loadFromFile(kubeconfig);
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? UNPARSED;
  }
}

/** Why no call can be made with the current context; undefined: one can. */
function problemOf(config: Cluster): string | undefined {
  const cluster = config.getCurrentCluster();
  if (!cluster || !config.getCurrentUser())
    return `names a ${cluster ? 'user' : 'cluster'} that is not there; mend it or pass --context`;
  const { server, proxyUrl, skipTLSVerify } = cluster;
  const protocol = URL.parse(server)?.protocol;
  if (protocol !== 'https:' && protocol !== 'http:')
    return `has the server ${shown(server)}, which is no URL; write it like https://127.0.0.1:6443`;
  if (protocol === 'http:' && !skipTLSVerify)
    return `has the server ${shown(server)}; use https, or say insecure-skip-tls-verify: true for a server without TLS, as that of "kubectl proxy"`;
  const proxy = URL.parse(proxyUrl ?? '')?.protocol;
  if (proxyUrl && proxy !== 'https:' && proxy !== 'http:')
    return `has the proxy-url ${shown(proxyUrl)}; use http:// or https://, others are not supported`;
  return undefined;
}

/** Exec plugins of API v1 refuse to run without this variable, which client-node does not set. */
function informPlugin(config: Cluster): void {
  const plugin = (config.getCurrentUser()?.exec ?? null) as
    | null
    | { apiVersion?: string; provideClusterInfo?: boolean; env?: { name: string; value: string }[] }
    | undefined;
  if (typeof plugin !== 'object' || plugin === null) return;
  const { server, caData, tlsServerName } = config.getCurrentCluster() ?? {};
  const cluster = {
    server,
    'certificate-authority-data': caData,
    'tls-server-name': tlsServerName,
  };
  const spec = { interactive: false, ...(plugin.provideClusterInfo && { cluster }) };
  const value = JSON.stringify({ apiVersion: plugin.apiVersion, kind: 'ExecCredential', spec });
  plugin.env = [...(plugin.env ?? []), { name: 'KUBERNETES_EXEC_INFO', value }];
}
