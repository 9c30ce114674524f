import { createHash } from 'node:crypto';
import { parseBaseUrl } from '../api/base-url.ts';
import type { LogLevel } from '../log.ts';
import { shown } from '../shown.ts';
import { type CompleteFlagValues, FLAGS, type FlagValues } from './flag-table.ts';
import { renderHelp, renderTable } from './flag-text.ts';
import type { ListenAddress, Rate } from './flag-values.ts';
import { type Flag, type Given, type Reading, readArguments } from './flags.ts';
import { readProxy } from './proxy-environment.ts';

/** What the process was asked to do; every value checked. */
export interface Config {
  /** Normalised: no trailing `/` or `/v1`. */
  readonly apiUrl: URL;
  /** PEM text, not a path. In addition to the usual roots. */
  readonly apiCa?: string;
  /**
   * For the management API alone, from HTTPS_PROXY and the like; may carry a user name and
   * password.
   */
  readonly apiProxy?: URL;
  readonly apiRate: Rate;
  /** Over all credentials. */
  readonly apiRateTotal: Rate;
  readonly apiInFlight: number;
  readonly apiTimeoutMs: number;
  readonly kubeconfig?: string;
  readonly context?: string;
  /** Empty: all. */
  readonly namespaces: readonly string[];
  readonly selector?: string;
  readonly secretSelector?: string;
  readonly leaderElect: boolean;
  readonly leaderElectName: string;
  /** Absent: the process's own namespace, which only a process in a cluster has. */
  readonly leaderElectNamespace?: string;
  /** Nothing is changed at the API, whatever the objects say. */
  readonly planOnly: boolean;
  readonly cleanupDeadlineMs: number;
  readonly listen: ListenAddress;
  readonly logLevel: LogLevel;
}

/**
 * `message` is for the terminal as it is: to stdout where the exit code is 0 (help, version), else
 * to stderr.
 */
export type ParsedConfig =
  | { readonly ok: true; readonly config: Config }
  | {
      readonly ok: false;
      readonly exitCode: 0 | 2;
      readonly message: string;
      /** What the message lists, each a sentence that names its flag. */
      readonly problems: readonly string[];
    };

/** The flags as a table in Markdown, for the guide on flags. */
export function renderFlagTable(): string {
  return renderTable(FLAGS);
}

/**
 * Reads files that flags name; says everything that is wrong at once, and never echoes a password
 * in an address.
 */
export function parseConfig({
  argv,
  env,
  version,
}: {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly version: string;
}): ParsedConfig {
  const { given, problems } = readArguments(FLAGS, argv, env);
  if (given.get('help')?.text === 'true')
    return { ok: false, exitCode: 0, message: renderHelp(FLAGS), problems: [] };
  if (given.get('version')?.text === 'true')
    return { ok: false, exitCode: 0, message: `pipewright ${version}\n`, problems: [] };

  const { values, problems: unreadable } = readValues(given);
  const inCluster =
    Boolean(env['KUBERNETES_SERVICE_HOST']) && !given.has('kubeconfig') && !given.has('context');
  const leaderElect = values['leader-elect'] ?? inCluster;
  const all = [
    ...problems,
    ...unreadable,
    ...weakening(env),
    ...combinationProblems({ given, values, inCluster, leaderElect }),
  ];
  const apiUrl = values['api-url'];
  const proxy: Reading<URL | undefined> = apiUrl ? readProxy(env, apiUrl) : { value: undefined };
  if ('problem' in proxy) all.push(proxy.problem);
  if (all.length > 0 || 'problem' in proxy)
    return { ok: false, exitCode: 2, message: refusal(all), problems: all };
  // Without a problem every flag that has a default, or is required, has a value.
  return { ok: true, config: build(values as CompleteFlagValues, leaderElect, proxy.value) };
}

function readValues(given: ReadonlyMap<string, Given>): { values: FlagValues; problems: string[] } {
  const values: Record<string, unknown> = {};
  const problems: string[] = [];
  for (const { name, default: fallback, read } of FLAGS as readonly Flag[]) {
    const { text, origin } = given.get(name) ?? { text: fallback, origin: `--${name}` };
    if (text === undefined) continue;
    const reading = read(text);
    if ('value' in reading) values[name] = reading.value;
    else problems.push(`${origin}: ${reading.problem}`);
  }
  return { values, problems };
}

/** What is wrong only because of another flag, or of where the process runs. */
function combinationProblems(about: {
  readonly given: ReadonlyMap<string, Given>;
  readonly values: FlagValues;
  readonly inCluster: boolean;
  readonly leaderElect: boolean;
}): string[] {
  const { given, values, inCluster, leaderElect } = about;
  const problems: string[] = [];
  const url = given.get('api-url');
  if (!url)
    problems.push(
      '--api-url is missing; give the base address of the management API, like https://api.example.com',
    );
  if (url && values['api-url'] && values['api-allow-http'] !== true) {
    const parsed = parseBaseUrl(url.text, { allowHttp: false });
    if ('problem' in parsed) problems.push(`${url.origin}: ${shown(url.text)}: ${parsed.problem}`);
  }
  if (leaderElect && !inCluster && !given.has('leader-elect-namespace')) {
    problems.push(
      '--leader-elect-namespace is missing; outside a cluster give the namespace of the Lease, or --leader-elect=false where only one process runs',
    );
  }
  return problems;
}

/** Node itself would heed this variable, and every key would go to whoever answers. */
function weakening(env: Readonly<Record<string, string | undefined>>): string[] {
  if (env['NODE_TLS_REJECT_UNAUTHORIZED'] !== '0') return [];
  return [
    'NODE_TLS_REJECT_UNAUTHORIZED: "0" turns the check of every certificate off; remove it, and name a CA of your own with --api-ca-file, that of Kubernetes in the kubeconfig',
  ];
}

function build(
  values: CompleteFlagValues,
  leaderElect: boolean,
  apiProxy: URL | undefined,
): Config {
  const { 'api-ca-file': apiCa, kubeconfig, context, selector, namespaces = [] } = values;
  const leaderElectNamespace = values['leader-elect-namespace'];
  const secretSelector = values['secret-selector'];
  return {
    apiUrl: values['api-url'],
    ...(apiCa !== undefined && { apiCa }),
    ...(apiProxy !== undefined && { apiProxy }),
    apiRate: values['api-rate'],
    apiRateTotal: values['api-rate-total'],
    apiInFlight: values['api-in-flight'],
    apiTimeoutMs: values['api-timeout'],
    ...(kubeconfig !== undefined && { kubeconfig }),
    ...(context !== undefined && { context }),
    namespaces,
    ...(selector !== undefined && { selector }),
    ...(secretSelector !== undefined && { secretSelector }),
    leaderElect,
    leaderElectName: values['leader-elect-name'] ?? leaseName(selector, namespaces),
    ...(leaderElectNamespace !== undefined && { leaderElectNamespace }),
    planOnly: values['plan-only'],
    cleanupDeadlineMs: values['cleanup-deadline'],
    listen: values.listen,
    logLevel: values['log-level'],
  };
}

/**
 * Processes that work on the same objects get the same name, however their flags are spelled; other
 * shards get another.
 */
function leaseName(selector: string | undefined, namespaces: readonly string[]): string {
  if (selector === undefined && namespaces.length === 0) return 'pipewright';
  const shard = JSON.stringify([selector ?? '', namespaces.toSorted()]);
  return `pipewright-${createHash('sha256').update(shard).digest('hex').slice(0, 8)}`;
}

function refusal(problems: readonly string[]): string {
  const count = problems.length === 1 ? 'a problem' : `${problems.length} problems`;
  return [
    `pipewright cannot start: ${count} with its flags`,
    ...problems.map((one) => `  ${one}`),
    '',
  ].join('\n');
}
