import type { RequestOptions } from 'node:https';
import { isDeepStrictEqual } from 'node:util';
import {
  type ConfigOptions,
  type DispatcherOptions,
  KubeConfig,
  makeAbsolutePath,
  type RequestContext,
} from '@kubernetes/client-node';
import { Agent, type buildConnector, type Dispatcher, ProxyAgent } from 'undici';
import { LEAST_TLS } from '../least-tls.ts';
import { shown } from '../shown.ts';
import { KubeError } from './errors.ts';

/** What a call goes out with. Never logged. */
export interface Access {
  readonly headers: Readonly<Record<string, string>>;
  readonly dispatcher: Dispatcher;
}

/**
 * One API server and our identity there. client-node reads kubeconfigs and credentials; the
 * connections are ours, since it opens a new one for each request.
 */
export class Cluster extends KubeConfig {
  userAgent = 'pipewright';
  /** How connections are opened. */
  open: (options: DispatcherOptions) => Dispatcher = openConnections;
  readonly #opened = new Set<Dispatcher>();
  #current: { readonly options: DispatcherOptions; readonly dispatcher: Dispatcher } | undefined;

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

  /** Throws KubeError where there is no credential to be had. */
  async access(): Promise<Access> {
    const applied: RequestOptions = {};
    await this.applyToHTTPSOptions(applied).catch((error: unknown) => {
      throw noCredentials(this, error);
    });
    const headers: Record<string, string> = { 'user-agent': this.userAgent };
    if (applied.auth)
      headers['authorization'] = `Basic ${Buffer.from(applied.auth).toString('base64')}`;
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
    await Promise.all([...this.#opened].map((dispatcher) => dispatcher.destroy()));
  }

  /** client-node 2.0.1 does not know kubectl's tokenFile, but a provider that reads such a file. */
  override loadFromString(text: string, options?: Partial<ConfigOptions>): void {
    const key = /(?<=^|[\s{,])(["']?)tokenFile\1(?=\s*:)/gm;
    super.loadFromString(text.replace(key, '$1auth-provider$1'), options);
    for (const user of this.users) {
      const tokenFile: unknown = user.authProvider;
      if (typeof tokenFile === 'string' && tokenFile !== '')
        Object.assign(user, { authProvider: { name: 'tokenFile', config: { tokenFile } } });
    }
  }

  override makePathsAbsolute(folder: string): void {
    super.makePathsAbsolute(folder);
    for (const { authProvider } of this.users) {
      const { config } = (authProvider ?? {}) as { config?: { tokenFile?: string } };
      if (config?.tokenFile) config.tokenFile = makeAbsolutePath(folder, config.tokenFile);
    }
  }

  /** Made anew only where what a connection is made with has changed, such as a rotated CA. */
  #dispatcherFor({ ca, cert, key, servername, rejectUnauthorized }: RequestOptions): Dispatcher {
    const options = this.createDispatcherOptions(this.getCurrentCluster(), {
      ca,
      cert,
      key,
      servername,
      rejectUnauthorized,
    });
    if (this.#current && isDeepStrictEqual(this.#current.options, options))
      return this.#current.dispatcher;
    const former = this.#current?.dispatcher;
    // What runs on the former connections may end there.
    void former?.close().then(() => this.#opened.delete(former));
    const dispatcher = this.open(options);
    this.#opened.add(dispatcher);
    this.#current = { options, dispatcher };
    return dispatcher;
  }
}

/** Of one answer, or of all that one watch brings in its time. */
const LARGEST_BODY = 64 * 2 ** 20;

/** HTTP/1.1 only: breaking off calls on HTTP/2 has ended the process. */
function openConnections(options: DispatcherOptions): Dispatcher {
  const limits = {
    allowH2: false,
    // Every call has a deadline of ours; undici's own would give a watch another.
    headersTimeout: 0,
    bodyTimeout: 0,
    maxResponseSize: LARGEST_BODY,
    // An idle connection whose network is gone is not tried half a minute later.
    keepAliveTimeout: 20_000,
  };
  const tls = options.type === 'proxy' ? options.requestTls : {};
  const connect = {
    ...(options.type === 'agent' ? options.connect : tls),
    ...LEAST_TLS,
    allowH2: false,
    timeout: 3_000,
  } as buildConnector.BuildOptions;
  if (options.type === 'proxy')
    return new ProxyAgent({ ...limits, uri: options.uri, requestTls: connect });
  return new Agent({ ...limits, connect });
}

/** A plugin's output may be a credential, so it is not quoted. */
function noCredentials(cluster: Cluster, error: unknown): KubeError {
  const user = cluster.getCurrentUser();
  const { code = 'error', path } = error as NodeJS.ErrnoException;
  const command: unknown = user?.exec?.command;
  const who = `user ${shown(user?.name ?? '')} of the kubeconfig`;
  const body =
    typeof command === 'string'
      ? `the exec plugin ${shown(command)} of ${who} gave no credential; run it by hand to see why`
      : `${path === undefined ? `a credential of ${who}` : shown(path)} cannot be read (${code}); put it there, readable for this process`;
  return new KubeError({ call: 'authenticate', status: 0, reason: 'NoCredentials', body });
}
