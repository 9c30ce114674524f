import type { RequestOptions } from 'node:https';
import { isDeepStrictEqual } from 'node:util';
import { KubeConfig, type RequestContext } from '@kubernetes/client-node';
import { Agent, type buildConnector, type Dispatcher, ProxyAgent } from 'undici';
import { LEAST_TLS } from '../least-tls.ts';
import { shown } from '../shown.ts';
import { KubeError } from './errors.ts';

/**
 * One API server and our identity there. client-node reads kubeconfigs and credentials; the
 * connections are ours, since it opens a new one for each request.
 */
export class Cluster extends KubeConfig {
  userAgent = 'pipewright';
  /** How connections are opened. */
  open: (options: ConnectionOptions) => Dispatcher = openConnections;
  #current: { readonly options: ConnectionOptions; readonly dispatcher: Dispatcher } | undefined;

  /** `https://10.0.0.1:443`, perhaps with a path. */
  get server(): string {
    return this.getCurrentCluster()?.server ?? '';
  }

  /** Our own namespace in a cluster, else that of the context. */
  get namespace(): string | undefined {
    return this.getContextObject(this.getCurrentContext())?.namespace?.trim() || undefined;
  }

  /** Whoever answers is taken for the API server. */
  get isUnverified(): boolean {
    return this.getCurrentCluster()?.skipTLSVerify === true;
  }

  /** What a call goes out with, never to be logged. Throws KubeError without a credential. */
  async access(): Promise<{ headers: Record<string, string>; dispatcher: Dispatcher }> {
    const applied: RequestOptions = {};
    await this.applyToHTTPSOptions(applied).catch((error: unknown) => {
      throw noCredential(this, error);
    });
    const headers: Record<string, string> = { 'user-agent': this.userAgent };
    // A file with a token often ends with a line end.
    for (const [name, value] of Object.entries(applied.headers ?? {}))
      headers[name.toLowerCase()] = String(value).trim();
    return { headers, dispatcher: this.#dispatcherFor(applied) };
  }

  /** For what client-node sends itself: watches. */
  override async applySecurityAuthentication(context: RequestContext): Promise<void> {
    const { headers, dispatcher } = await this.access();
    for (const [name, value] of Object.entries(headers)) context.setHeaderParam(name, value);
    context.setDispatcher(dispatcher);
  }

  /** Breaks off everything. */
  async close(): Promise<void> {
    await this.#current?.dispatcher.destroy();
  }

  /** Made anew only where what a connection is made with has changed, such as a rotated CA. */
  #dispatcherFor({ ca, cert, key, servername, rejectUnauthorized }: RequestOptions): Dispatcher {
    const proxyUrl = this.getCurrentCluster()?.proxyUrl;
    const options = { ca, cert, key, servername, rejectUnauthorized, proxyUrl };
    if (this.#current && isDeepStrictEqual(this.#current.options, options))
      return this.#current.dispatcher;
    // What runs on the former connections may end there.
    void this.#current?.dispatcher.close();
    const dispatcher = this.open(options);
    this.#current = { options, dispatcher };
    return dispatcher;
  }
}

/** What connections are made with. */
type ConnectionOptions = RequestOptions & { readonly proxyUrl: string | undefined };

/** HTTP/1.1 only: breaking off calls on HTTP/2 has ended the process. */
function openConnections({ proxyUrl, ...tls }: ConnectionOptions): Dispatcher {
  const limits = {
    allowH2: false,
    // Every call has a deadline of ours; undici's own would give a watch another.
    headersTimeout: 0,
    bodyTimeout: 0,
    // Of one answer, or of all that one watch brings in its time.
    maxResponseSize: 64 * 2 ** 20,
    // An idle connection whose network is gone is not tried half a minute later.
    keepAliveTimeout: 20_000,
  };
  const own = { ...LEAST_TLS, allowH2: false, timeout: 3_000 };
  const connect = { ...tls, ...own } as buildConnector.BuildOptions;
  if (proxyUrl) return new ProxyAgent({ ...limits, uri: proxyUrl, requestTls: connect });
  return new Agent({ ...limits, connect });
}

/**
 * The cluster of a kubeconfig: the one named, else that of KUBECONFIG or ~/.kube/config, else the
 * one this process runs in. Throws Error with what to do where no call can be made with it.
 */
export async function loadCluster(kubeconfig?: string, context?: string): Promise<Cluster> {
  const cluster = new Cluster();
  const file = shown(kubeconfig ?? (process.env['KUBECONFIG'] || '~/.kube/config'));
  const problem = load(cluster, kubeconfig);
  if (problem !== undefined) {
    const inPod = 'in a Pod, mount the token of the ServiceAccount (automountServiceAccountToken)';
    throw new Error(
      `cannot read the kubeconfig ${file} (${problem}); pass --kubeconfig or, ${inPod}`,
    );
  }
  cluster.setCurrentContext(context ?? cluster.getCurrentContext());
  const { server, proxyUrl = '', skipTLSVerify } = cluster.getCurrentCluster() ?? { server: '' };
  const protocols = skipTLSVerify ? /^https?:/ : /^https:/;
  const isServer = URL.canParse(server) && protocols.test(server);
  const isProxy = proxyUrl === '' || (URL.canParse(proxyUrl) && /^https?:/.test(proxyUrl));
  if (!cluster.getCurrentUser() || !isServer || !isProxy) {
    const names = cluster.getContexts().map(({ name }) => name);
    throw new Error(
      `context ${shown(cluster.getCurrentContext() ?? '')} of the kubeconfig ${file} cannot be used: its user is ${shown(cluster.getCurrentUser()?.name ?? '')}, its server ${shown(server)} and its proxy-url ${shown(proxyUrl)}. A context needs a user and an https server (http only with insecure-skip-tls-verify: true); a proxy-url must be http or https. Correct it, or pass --context with one of: ${names.join(', ')}`,
    );
  }
  informPlugin(cluster);
  await cluster.access();
  return cluster;
}

/** The code of what went wrong: the message of a parser quotes the file, which has credentials. */
function load(cluster: Cluster, kubeconfig: string | undefined): string | undefined {
  try {
    if (kubeconfig === undefined) cluster.loadFromDefault(undefined, true);
    else cluster.loadFromFile(kubeconfig);
    // The name of what client-node makes where it has found nothing.
    return cluster.getCurrentContext() === 'loaded-context' ? 'ENOENT' : undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'it is no YAML';
  }
}

/** Exec plugins of API v1 refuse to run without this variable, which client-node does not set. */
function informPlugin(config: Cluster): void {
  const plugin: unknown = config.getCurrentUser()?.exec;
  if (typeof plugin !== 'object' || plugin === null) return;
  const { apiVersion, env = [] } = plugin as { apiVersion?: string; env?: readonly object[] };
  const info = { apiVersion, kind: 'ExecCredential', spec: { interactive: false } };
  const value = JSON.stringify(info);
  Object.assign(plugin, { env: [...env, { name: 'KUBERNETES_EXEC_INFO', value }] });
}

/** What a plugin has printed may be a credential, so it is not quoted. */
function noCredential(config: Cluster, error: unknown): KubeError {
  const user = config.getCurrentUser();
  const { code = 'it failed', path = 'auth-provider' } = error as NodeJS.ErrnoException;
  const source = shown(String(user?.exec ? user.exec.command : path));
  const body = `user ${shown(user?.name ?? '')} of the kubeconfig gets no credential from ${source} (${code}); try that by hand`;
  return new KubeError({ call: 'authenticate', status: 0, reason: 'NoCredentials', body });
}
