import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { parseBaseUrl } from '../api/base-url.ts';
import { shown } from '../shown.ts';
import { type CommandLine, readCommandLine, renderHelp } from './command-line.ts';
import { type Environment, FLAG_LIST, FLAGS, flagOf } from './flags.ts';

interface Start {
  readonly argv: readonly string[];
  readonly env: Environment;
  readonly version: string;
}

const VALUES = z.object(
  Object.fromEntries(Object.entries(FLAGS).map(([name, { schema }]) => [name, schema])) as {
    [Name in keyof typeof FLAGS]: (typeof FLAGS)[Name]['schema'];
  },
);

/** What the process was asked to do; every value checked. `namespaces` empty: all. */
export type Config = ReturnType<typeof configOf>;

/** `message` is for stdout where the exit code is 0 (help, version), else for stderr. */
export type ParsedConfig =
  | { readonly ok: true; readonly config: Config }
  | { readonly ok: false; readonly exitCode: 0 | 2; readonly message: string };

/**
 * Reads files that flags name; says everything that is wrong at once, and repeats no value as far
 * as it may hold a password.
 */
export function parseConfig({ argv, env, version }: Start): ParsedConfig {
  const line = readCommandLine(argv, env);
  const { texts } = line;
  if (texts['help']) return { ok: false, exitCode: 0, message: renderHelp() };
  if (texts['version']) return { ok: false, exitCode: 0, message: `pipewright ${version}\n` };
  const isElsewhere = texts['kubeconfig'] || texts['context'];
  const isInPod = Boolean(env['KUBERNETES_SERVICE_HOST'] && !isElsewhere);
  const leaderElect = texts['leaderElect'] ?? String(isInPod);
  const read = VALUES.safeParse({ ...texts, leaderElect });
  const { apiUrl, apiAllowHttp } = texts;
  // That it is missing is said by its schema; whether http may be used depends on another flag.
  const url = parseBaseUrl(String(apiUrl), { allowHttp: apiAllowHttp === 'true' });
  const problems = [
    ...line.problems,
    ...(read.error?.issues ?? []).map(({ path, message }) =>
      valueProblem(line, String(path[0]), message),
    ),
    ...(typeof apiUrl === 'string' && 'problem' in url
      ? [valueProblem(line, 'apiUrl', url.problem)]
      : []),
    ...(leaderElect === 'true' && !isInPod && !texts['leaderElectNamespace'] ? [NO_NAMESPACE] : []),
    ...environmentProblems(env),
  ];
  if (read.success && 'url' in url && problems.length === 0)
    return { ok: true, config: configOf(read.data, url.url) };
  const count = problems.length === 1 ? 'a problem' : `${problems.length} problems`;
  const head = `pipewright cannot start: ${count} with its flags`;
  const message = `${[head, ...problems].join('\n  ')}\n`;
  return { ok: false, exitCode: 2, message };
}

function configOf(values: z.infer<typeof VALUES>, apiUrl: URL) {
  const { apiCaFile, apiTimeout, cleanupDeadline, namespaces = [], ...rest } = values;
  return {
    ...rest,
    apiUrl,
    /** PEM text, not a path. In addition to the usual roots. */
    apiCa: apiCaFile,
    apiTimeoutMs: apiTimeout,
    cleanupDeadlineMs: cleanupDeadline,
    namespaces,
    leaderElectName: rest.leaderElectName ?? leaseName(rest.selector, namespaces),
  };
}

const NO_NAMESPACE =
  '--leader-elect-namespace is missing; outside a cluster give the namespace of the Lease, or --leader-elect=false where only one process runs';

function valueProblem({ texts, origins }: CommandLine, name: string, why: string): string {
  const text = texts[name];
  if (text === undefined) return `${flagOf(name)} ${why}`;
  if (text !== true) return `${origins[name]}: ${shown(text)} ${why}`;
  const [, flag] = FLAG_LIST.find(([one]) => one === name) ?? [];
  return `${flagOf(name)} has no value; write ${flagOf(name)}=${flag?.placeholder}`;
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

/** Nothing behind the port: that would be the rest of a password which is not percent-encoded. */
const PROXY = /^https?:\/\/(?:[^/?#%\s]|%[\da-f]{2})+\/?$/i;

/** Of variables that undici and Node read by themselves: no error of theirs would name one. */
function environmentProblems(env: Environment): string[] {
  const problems = ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY'].flatMap((name) => {
    const text = env[name]?.trim() ?? '';
    if (text === '' || (PROXY.test(text) && URL.canParse(text))) return [];
    return `${name}: ${shown(text)} is not the address of an http or https proxy; write it like http://proxy.example.com:3128, with the special characters of a password percent-encoded`;
  });
  const unchecked = 'NODE_TLS_REJECT_UNAUTHORIZED';
  if (env[unchecked] === '0')
    problems.push(
      `${unchecked}: "0" would send keys to whoever answers; remove it, and trust a private CA by --api-ca-file`,
    );
  return problems;
}
