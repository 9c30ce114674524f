import { type ApiClient, createApiClient } from '../../api/http/client.ts';
import { proxyName } from '../../api/http/proxy.ts';
import { parseConfig } from '../../config/config.ts';
import { environmentName } from '../../config/flags.ts';
import type { Context } from '../command.ts';
import { UserError } from '../user-error.ts';

/** As the operator has them. */
export interface ApiFlags {
  readonly apiUrl?: string;
  readonly apiCaFile?: string;
  readonly apiTimeout?: string;
  readonly apiAllowHttp?: boolean;
}

/** Flags of the operator that are the plugin's too, also from the environment. */
const FLAGS = {
  'api-url': 'apiUrl',
  'api-ca-file': 'apiCaFile',
  'api-timeout': 'apiTimeout',
  'api-allow-http': 'apiAllowHttp',
} as const satisfies Readonly<Record<string, keyof ApiFlags>>;

const OPERATORS = 'PIPEWRIGHT_';

/**
 * The operator's own client, with its rules for addresses, certificates and proxies. `by` says
 * which proxy it takes, as the end of a sentence.
 */
export function openApi(
  { env, clock, version }: Pick<Context, 'env' | 'clock' | 'version'>,
  flags: ApiFlags,
): { readonly api: ApiClient; readonly by: string } {
  const names = new Set(Object.keys(FLAGS).map(environmentName));
  const used = Object.entries(env).filter(
    ([name]) => names.has(name) || !name.startsWith(OPERATORS),
  );
  const argv = Object.entries(FLAGS).flatMap(([flag, key]) =>
    flags[key] === undefined ? [] : [`--${flag}=${flags[key]}`],
  );
  const parsed = parseConfig({
    // No Lease is asked for where one call is made by hand.
    argv: [...argv, '--leader-elect=false'],
    env: Object.fromEntries(used),
    version,
  });
  if (!parsed.ok) throw new UserError(parsed.problems.join('; '));
  const { apiUrl, apiCa, apiProxy, apiTimeoutMs } = parsed.config;
  const api = createApiClient({
    baseUrl: apiUrl,
    ...(apiCa !== undefined && { ca: apiCa }),
    ...(apiProxy && { proxy: apiProxy }),
    timeoutMs: apiTimeoutMs,
    clock,
    version,
    mayStart: () => true,
  });
  return { api, by: apiProxy ? ` through ${proxyName(apiProxy)}` : '' };
}
