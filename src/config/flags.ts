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
    'PEM file of CA certificates to trust for the management API beside the usual ones.',
  ),
  apiRate: flag(value.rate, 'N/TIME', '10/10s').about(
    'Most calls in any period of TIME, for each API key; 0 is unlimited.',
  ),
  apiRateTotal: flag(value.rate, 'N/TIME', '0').about(
    'Most calls in any period of TIME, of the whole process; 0 is unlimited.',
  ),
  apiInFlight: flag(value.upToHundred, 'N', '4').about(
    'Most calls at once, for each API key; 1 to 100.',
  ),
  apiTimeout: flag(value.duration('1s', '5m'), 'TIME', '35s').about(
    'Timeout of a whole call to the management API; 1s to 5m.',
  ),
  kubeconfig: flag(z.optional(value.readableFile), 'FILE').about(
    'Kubeconfig file; else the usual one, or the access that a Pod has.',
  ),
  context: flag(z.optional(z.string()), 'NAME').about(
    'Context of the kubeconfig to use; else the current one.',
  ),
  namespaces: flag(z.optional(value.namespaces), 'A,B').about(
    'Namespaces to work in, else all; Roles then suffice.',
  ),
  selector: flag(z.optional(value.labelSelector), 'SELECTOR').about(
    'Label selector: work only on matching objects, as one of several shards.',
  ),
  secretSelector: flag(z.optional(value.labels), 'LABELS').about(
    'Labels that a Secret must have to be used, all of them: a=b,c=d. An object that refers to another Secret gets SecretForbidden.',
  ),
  planOnly: flag(value.trueOrFalse, undefined, 'false').about(
    'Treat every object as in Plan mode: nothing is changed at the API. What is only read is still fetched.',
  ),
  leaderElect: flag(value.trueOrFalse).about(
    'Work only while holding a Lease. Default: true in a Pod, else false.',
  ),
  leaderElectNamespace: flag(z.optional(value.namespace), 'NAMESPACE').about(
    'Namespace of the Lease; else that of the Pod. Required elsewhere, with --leader-elect.',
  ),
  leaderElectName: flag(z.optional(value.leaseName), 'NAME').about(
    'Name of the Lease; else pipewright, and a hash where selector or namespaces are set. Processes that work on the same objects must share one, or they overwrite each other.',
  ),
  cleanupDeadline: flag(value.duration('1m', '24h'), 'TIME', '10m').about(
    'How long a deletion waits for private endpoints to be removed; 1m to 24h.',
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
