import { access, constants, readFile } from 'node:fs/promises';
import type { RequestOptions } from 'node:https';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { KubeConfig, type User } from '@kubernetes/client-node';
import type { Clock } from '../../clock.ts';
import { isTextOfFile, shown } from '../../shown.ts';
import type { Cluster, Credentials, TlsMaterial } from '../client/cluster.ts';
import { KubeError } from '../client/kube-error.ts';
import { rememberCredentials } from './remember-credentials.ts';

interface KubeconfigOptions {
  readonly clock: Clock;
  /** One file; absent: those of $KUBECONFIG, else `~/.kube/config`. */
  readonly file: string | undefined;
  /** Absent: the current one. */
  readonly context: string | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/**
 * The cluster a kubeconfig context names. Throws Error with what to do where the file or context is
 * unusable.
 */
export async function fromKubeconfig(options: KubeconfigOptions): Promise<Cluster> {
  let config = await load(options);
  const cluster = config.getCurrentCluster();
  if (!cluster)
    throw new Error(
      'the kubeconfig context names no cluster that the kubeconfig has; mend it or pass --context',
    );
  if (cluster.proxyUrl)
    throw new Error(
      `proxy-url of cluster "${cluster.name}" is not supported; use a kubeconfig that reaches ${shown(cluster.server)} directly`,
    );
  const server = URL.parse(cluster.server);
  if (server?.protocol !== 'https:' && server?.protocol !== 'http:')
    throw new Error(
      `cluster "${cluster.name}" of the kubeconfig has the server ${shown(cluster.server)}, which is no URL; write it like https://127.0.0.1:6443`,
    );
  if (server.protocol === 'http:' && !cluster.skipTLSVerify)
    throw new Error(
      `cluster "${cluster.name}" of the kubeconfig has the server ${shown(cluster.server)}; use https, or say insecure-skip-tls-verify: true for a server without TLS, as that of "kubectl proxy"`,
    );
  return {
    server,
    isUnverified: () => config.getCurrentCluster()?.skipTLSVerify === true,
    namespace: config.getContextObject(config.getCurrentContext())?.namespace,
    ...rememberCredentials(options.clock, async ({ anew }) => {
      if (anew) {
        config = await load(options);
        // A proxy that was written there since the start, which a start would have refused, must
        // not stop the renewal.
        Object.assign(config.getCurrentCluster() ?? {}, { proxyUrl: undefined });
      }
      return readCredentials(config);
    }),
  };
}

async function load({ file, context, environment }: KubeconfigOptions): Promise<KubeConfig> {
  if (isTextOfFile(file ?? environment['KUBECONFIG'] ?? ''))
    throw new Error(
      `${file === undefined ? 'KUBECONFIG' : '--kubeconfig'} holds the text of a file; give the path of one`,
    );
  const files = file === undefined ? usualFiles(environment) : [file];
  const found: string[] = [];
  let config: KubeConfig | undefined;
  for (const path of files) {
    const text = await read(path, file === undefined && files.length > 1);
    if (text === undefined) continue;
    found.push(shown(path));
    const part = parse(path, text);
    if (config) config.mergeConfig(part, true);
    else config = part;
  }
  if (!config)
    throw new Error(
      `none of the files that KUBECONFIG names exists, from ${shown(files[0] ?? '')} on; pass --kubeconfig`,
    );
  const chosen = context ?? config.getCurrentContext();
  if (!config.getContextObject(chosen)) {
    const names = config.getContexts().map(({ name }) => name);
    if (names.length === 0)
      throw new Error(`no context at all in ${found.join(', ')}; is that a kubeconfig?`);
    const missing = context === undefined ? JSON.stringify(chosen) : shown(context);
    const wanted = chosen ? `no context ${missing}` : 'no current context';
    throw new Error(
      `${wanted} in ${found.join(', ')}; pass --context with one of: ${names.join(', ')}`,
    );
  }
  config.setCurrentContext(chosen);
  await refuseUnreadable(config);
  await readTokenFile(config.getCurrentUser());
  tellPlugin(config);
  return config;
}

function usualFiles(environment: Readonly<Record<string, string | undefined>>): string[] {
  const listed = environment['KUBECONFIG']?.split(delimiter).filter((path) => path !== '') ?? [];
  return listed.length > 0 ? listed : [join(environment['HOME'] ?? homedir(), '.kube', 'config')];
}

/** Here and below without the cause: Node's message repeats the path, whatever that is. */
async function read(path: string, optional: boolean): Promise<string | undefined> {
  return await readFile(path, 'utf8').catch((error: unknown) => {
    if (optional) return undefined;
    const code = codeOf(error) ?? 'unreadable';
    throw new Error(
      `cannot read the kubeconfig ${shown(path)} (${code}); pass --kubeconfig, or in a pod mount the ServiceAccount's token (automountServiceAccountToken)`,
    );
  });
}

/** What goes wrong is told without its cause: the parser quotes the file, which has credentials. */
function parse(path: string, text: string): KubeConfig {
  try {
    const config = loaded(path, text);
    // client-node 2.0.1 does not know kubectl's tokenFile. It takes it in the place of a
    // client-certificate, which is a path beside the kubeconfig too.
    const withTokenFiles = loaded(
      path,
      renamed(renamed(text, 'client-certificate', 'unread'), 'tokenFile', 'client-certificate'),
    );
    for (const [at, user] of config.users.entries()) {
      const file: unknown = withTokenFiles.users[at]?.certFile;
      if (file) Object.assign(user, { tokenFile: file });
    }
    return config;
  } catch {
    throw new Error(
      `the kubeconfig ${shown(path)} cannot be parsed; try "kubectl config view" on it`,
    );
  }
}

function loaded(path: string, text: string): KubeConfig {
  const config = new KubeConfig();
  config.loadFromString(text);
  if (!hasPlainValues(config)) throw new Error('a list or an object stands for a text');
  config.makePathsAbsolute(dirname(path));
  return config;
}

/** A field may stand anywhere in its line: JSON is YAML too. */
function renamed(text: string, field: string, to: string): string {
  return text.replace(new RegExp(`(?<=^|[\\s{,])(["']?)${field}\\1(?=\\s*:)`, 'gm'), `$1${to}$1`);
}

/** client-node takes any YAML where a text is meant, also an alias of an alias without end. */
function hasPlainValues({ currentContext, contexts, clusters, users }: KubeConfig): boolean {
  const values = [...contexts, ...clusters, ...users].flatMap((one) =>
    Object.entries(one).filter(([name]) => name !== 'exec' && name !== 'authProvider'),
  );
  return [currentContext, ...values.map(([, value]) => value as unknown)].every(
    (value) => value === null || typeof value !== 'object',
  );
}

/** At the start, in words: else it would be the failure of every call. */
async function refuseUnreadable(config: KubeConfig): Promise<void> {
  const user = config.getCurrentUser();
  const cluster = config.getCurrentCluster();
  const files = [
    [cluster?.caFile, `certificate-authority of cluster "${cluster?.name ?? ''}"`],
    [user?.certFile, `client-certificate of user "${user?.name ?? ''}"`],
    [user?.keyFile, `client-key of user "${user?.name ?? ''}"`],
  ] as const;
  for (const [file, field] of files) {
    // client-node has null and '' for none.
    if (!file) continue;
    await access(file, constants.R_OK).catch((error: unknown) => {
      throw unreadable(field, error);
    });
  }
}

async function readTokenFile(user: (User & { tokenFile?: string }) | null): Promise<void> {
  if (!user?.tokenFile || user.token) return;
  const token = await readFile(user.tokenFile, 'utf8').catch((error: unknown) => {
    throw unreadable(`tokenFile of user "${user.name}"`, error);
  });
  Object.assign(user, { token });
}

/** Without the path, in whose place people put the key or the token itself. */
function unreadable(field: string, cause: unknown): Error {
  const code = codeOf(cause) ?? 'unreadable';
  return new Error(
    `the kubeconfig names a file as ${field} that cannot be read (${code}); put it there, readable for this user`,
  );
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}

/** Without what may stand behind it in one text, such as a token. */
function shownProgram(program: unknown): string {
  return typeof program === 'string' ? shown(program.split(/\s/, 1)[0] ?? '') : 'of no name';
}

/** Exec plugins of API v1 refuse to run without this variable, which client-node does not set. */
function tellPlugin(config: KubeConfig): void {
  const exec: unknown = config.getCurrentUser()?.exec;
  if (typeof exec !== 'object' || exec === null) return;
  const plugin = exec as {
    apiVersion?: string;
    provideClusterInfo?: boolean;
    env?: { name: string; value: string }[];
  };
  const { server, caData, tlsServerName } = config.getCurrentCluster() ?? {};
  const cluster = {
    server,
    'certificate-authority-data': caData,
    'tls-server-name': tlsServerName,
  };
  const spec = { interactive: false, ...(plugin.provideClusterInfo ? { cluster } : {}) };
  const value = JSON.stringify({ apiVersion: plugin.apiVersion, kind: 'ExecCredential', spec });
  plugin.env = [...(plugin.env ?? []), { name: 'KUBERNETES_EXEC_INFO', value }];
}

async function readCredentials(config: KubeConfig): Promise<Credentials> {
  const applied: RequestOptions = {};
  try {
    await config.applyToHTTPSOptions(applied);
  } catch (error) {
    throw refused(config.getCurrentUser(), error);
  }
  const user = config.getCurrentUser();
  const authorization = applied.auth
    ? `Basic ${Buffer.from(applied.auth).toString('base64')}`
    : Object.entries(applied.headers ?? {}).find(
        ([name]) => name.toLowerCase() === 'authorization',
      )?.[1];
  return {
    headers: {
      ...(authorization === undefined ? {} : { authorization: String(authorization).trim() }),
      ...(user?.impersonateUser ? { 'impersonate-user': user.impersonateUser } : {}),
    },
    tls: tlsOf(applied),
  };
}

function tlsOf({ ca, cert, key, servername, rejectUnauthorized }: RequestOptions): TlsMaterial {
  return {
    ...(ca ? { ca: ca as string | Buffer } : {}),
    ...(cert ? { cert: cert as string | Buffer } : {}),
    ...(key ? { key: key as string | Buffer } : {}),
    ...(servername ? { servername } : {}),
    ...(rejectUnauthorized === undefined ? {} : { rejectUnauthorized }),
  };
}

/** A plugin's output may be a credential, so it is not quoted. */
function refused(user: User | null, error: unknown): KubeError {
  const plugin: unknown = user?.exec?.command;
  const code = codeOf(error) ?? '';
  const shown = code === '' ? '' : ` (${code})`;
  const body =
    typeof plugin === 'string'
      ? `the exec plugin ${shownProgram(plugin)} of kubeconfig user "${user?.name ?? ''}" gave no credential${shown}; run it by hand to see why`
      : `the credentials of kubeconfig user "${user?.name ?? ''}" cannot be read${shown}; check its files`;
  return new KubeError({ call: 'authenticate', status: 0, reason: 'NoCredentials', body });
}
