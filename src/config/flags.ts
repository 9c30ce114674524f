import * as z from 'zod/mini';
import { LOG_LEVELS } from '../telemetry/log.ts';
import * as value from './values.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * A flag with a `placeholder` for its value in the help, else it is true or false; with a default
 * as a user would write it; with a schema whose issues say what is wrong behind the quoted text.
 */
function flag<Schema extends z.ZodMiniType<unknown, string | undefined>>(
  schema: Schema,
  placeholder?: string,
  fallback?: string,
) {
  return { about: (about: string) => ({ schema, placeholder, fallback, about }) };
}

/** Every flag but --help and --version; `apiUrl` is --api-url and PIPEWRIGHT_API_URL. */
export const FLAGS = {
  apiUrl: flag(z.string('is missing; give one like https://api.example.com'), 'URL').about(
    'Base address of the management API, with or without a trailing /v1: https, or http on loopback. Required.',
  ),
  apiAllowHttp: flag(value.trueOrFalse, undefined, 'false').about(
    'Allow an --api-url with http that is not on loopback. Keys then travel in clear text.',
  ),
  apiCaFile: flag(z.optional(value.certificates), 'FILE').about(
    'PEM file of CA certificates to trust for the management API, in addition to those that Node.js trusts. Read at start.',
  ),
  apiRate: flag(value.rate, 'N/TIME', '10/10s').about(
    'Maximum number of calls in any period of TIME, for each API key: N from 1 to 999999, TIME up to 24h; 0 is unlimited.',
  ),
  apiRateTotal: flag(value.rate, 'N/TIME', '0').about(
    'Maximum number of calls in any period of TIME, for the whole process: N from 1 to 999999, TIME up to 24h; 0 is unlimited.',
  ),
  apiInFlight: flag(value.upToHundred, 'N', '4').about(
    'Maximum number of concurrent calls for each API key; 1 to 100.',
  ),
  apiTimeout: flag(value.duration('1s', '5m'), 'TIME', '35s').about(
    'Timeout of a whole call to the management API; 1s to 5m.',
  ),
  kubeconfig: flag(z.optional(value.readableFile), 'FILE').about(
    'Kubeconfig file. Default: the file that KUBECONFIG names, else ~/.kube/config, else the ServiceAccount of the Pod.',
  ),
  context: flag(z.optional(z.string()), 'NAME').about(
    'Context of the kubeconfig to use. Default: the current one.',
  ),
  namespaces: flag(z.optional(value.namespaces), 'A,B').about(
    'Namespaces to work in; a Role in each is enough. Default: all namespaces, which needs a ClusterRole.',
  ),
  selector: flag(z.optional(value.labelSelector), 'SELECTOR').about(
    'Label selector: work only on matching objects, as one of several shards.',
  ),
  secretSelector: flag(z.optional(value.labels), 'LABELS').about(
    'Labels that a Secret must have, all of them, before the operator uses it: a=b,c=d. Default: none. An object that refers to a Secret without them is not Ready, with reason SecretForbidden.',
  ),
  planOnly: flag(value.trueOrFalse, undefined, 'false').about(
    'Treat every PipeSettings and Organization as if its mode were Plan: nothing is changed at the API. Activity objects are still fetched.',
  ),
  leaderElect: flag(value.trueOrFalse).about(
    'Elect a leader by a Lease, and work only as the leader. Default: true in a Pod, else false.',
  ),
  leaderElectNamespace: flag(z.optional(value.namespace), 'NAMESPACE').about(
    'Namespace of the Lease. Default: that of the Pod. Outside a Pod, required with --leader-elect.',
  ),
  leaderElectName: flag(z.optional(value.leaseName), 'NAME').about(
    'Name of the Lease. Default: pipewright, followed by a hash if --selector or --namespaces is set. Processes that work on the same objects must use the same Lease, or they overwrite each other’s changes.',
  ),
  cleanupDeadline: flag(value.duration('1m', '24h'), 'TIME', '10m').about(
    'How long the deletion of an Organization waits for its private endpoints to be removed; 1m to 24h. After that the object is deleted, and endpoints may be left at the API.',
  ),
  listen: flag(value.listenAddress, 'ADDRESS', ':8080').about(
    'Address of /livez, /readyz and /metrics; port 0 selects a free port.',
  ),
  logLevel: flag(
    z.enum(LOG_LEVELS, `is not a level; give one of ${LOG_LEVELS.join(', ')}`),
    'LEVEL',
    'info',
  ).about(`One of ${LOG_LEVELS.join(', ')}.`),
};

export const FLAG_LIST = Object.entries(FLAGS);
const PREFIX = 'PIPEWRIGHT_';

/** `--api-url` of `apiUrl`. */
export function flagOf(name: string): string {
  return `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** `PIPEWRIGHT_API_URL` of `apiUrl`. */
export function variableOf(name: string): string {
  return PREFIX + flagOf(name).slice(2).toUpperCase().replaceAll('-', '_');
}

/** What Kubernetes sets in every container beside a Service named pipewright or pipewright-…. */
const SERVICE_LINK = /_(SERVICE_HOST|SERVICE_PORT(_.+)?|PORT(_\d+_[A-Z]+(_(ADDR|PORT|PROTO))?)?)$/;

/** Whether it looks like one of ours and is none. */
export function isStrayVariable(variable: string): boolean {
  if (!variable.startsWith(PREFIX) || SERVICE_LINK.test(variable)) return false;
  return !FLAG_LIST.some(([name]) => variableOf(name) === variable);
}
