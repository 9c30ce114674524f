import * as z from 'zod/mini';
import { LOG_LEVELS } from '../log.ts';
import * as value from './values.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Command line, help, environment and the table in the guide are made from these. */
export interface Flag {
  /** Stands for the value in the help; a flag without one is true or false. */
  readonly placeholder?: string;
  /** As a user would write it. */
  readonly default?: string;
  readonly about: string;
  /** An issue says what is wrong behind the quoted text. */
  readonly schema: z.ZodMiniType<unknown, string | undefined>;
}

/** Every flag but --help and --version; `apiUrl` is --api-url and PIPEWRIGHT_API_URL. */
export const FLAGS = {
  apiUrl: {
    placeholder: 'URL',
    about: 'Base address of the management API: https, or http on loopback. Required.',
    schema: z.string('is missing; give one like https://api.example.com'),
  },
  apiAllowHttp: {
    default: 'false',
    about: 'Allow an --api-url with http that is not on loopback. Keys then travel in clear text.',
    schema: value.trueOrFalse,
  },
  apiCaFile: {
    placeholder: 'FILE',
    about: 'PEM file of CA certificates to trust for the management API beside the usual ones.',
    schema: z.optional(value.certificates),
  },
  apiRate: {
    placeholder: 'N/TIME',
    default: '10/10s',
    about: 'Most calls in any period of TIME, for each API key; 0 is unlimited.',
    schema: value.rate,
  },
  apiRateTotal: {
    placeholder: 'N/TIME',
    default: '0',
    about: 'Most calls in any period of TIME, of the whole process; 0 is unlimited.',
    schema: value.rate,
  },
  apiInFlight: {
    placeholder: 'N',
    default: '4',
    about: 'Most calls at once, for each API key; 1 to 100.',
    schema: value.upToHundred,
  },
  apiTimeout: {
    placeholder: 'TIME',
    default: '35s',
    about: 'Timeout of a whole call to the management API; 1s to 5m.',
    schema: value.duration('1s', '5m'),
  },
  kubeconfig: {
    placeholder: 'FILE',
    about: 'Kubeconfig file; else that of the Pod, or the usual one.',
    schema: z.optional(value.readableFile),
  },
  context: {
    placeholder: 'NAME',
    about: 'Context of the kubeconfig to use; else the current one.',
    schema: z.optional(z.string()),
  },
  namespaces: {
    placeholder: 'A,B',
    about: 'Namespaces to work in, else all; Roles then suffice.',
    schema: z.optional(value.namespaces),
  },
  selector: {
    placeholder: 'SELECTOR',
    about: 'Label selector: work only on matching objects, as one of several shards.',
    schema: z.optional(value.labelSelector),
  },
  secretSelector: {
    placeholder: 'LABELS',
    about: 'Labels that a Secret must have to be used, all of them: a=b,c=d.',
    schema: z.optional(value.labels),
  },
  planOnly: {
    default: 'false',
    about: 'Treat every object as in Plan mode: nothing is changed at the API.',
    schema: value.trueOrFalse,
  },
  leaderElect: {
    about: 'Work only while holding a Lease. Default: true in a Pod, else false.',
    schema: value.trueOrFalse,
  },
  leaderElectNamespace: {
    placeholder: 'NAMESPACE',
    about: 'Namespace of the Lease; else that of the Pod.',
    schema: z.optional(value.namespace),
  },
  leaderElectName: {
    placeholder: 'NAME',
    about: 'Name of the Lease; else pipewright, and a hash where selector or namespaces are set.',
    schema: z.optional(value.leaseName),
  },
  cleanupDeadline: {
    placeholder: 'TIME',
    default: '10m',
    about: 'How long a deletion waits for private endpoints to be removed; 1m to 24h.',
    schema: value.duration('1m', '24h'),
  },
  listen: {
    placeholder: 'ADDRESS',
    default: ':8080',
    about: 'Address of /livez, /readyz and /metrics; port 0 selects a free port.',
    schema: value.listenAddress,
  },
  logLevel: {
    placeholder: 'LEVEL',
    default: 'info',
    about: `One of ${LOG_LEVELS.join(', ')}.`,
    schema: z.enum(LOG_LEVELS, `is not a level; give one of ${LOG_LEVELS.join(', ')}`),
  },
} as const satisfies Readonly<Record<string, Flag>>;

export const FLAG_LIST: readonly (readonly [name: string, flag: Flag])[] = Object.entries(FLAGS);
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
