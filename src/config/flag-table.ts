import { parseBaseUrl } from '../api/base-url.ts';
import { LOG_LEVELS } from '../log.ts';
import { shown } from '../shown.ts';
import * as read from './flag-values.ts';
import type { Flag, Reading } from './flags.ts';
import { labelSelector } from './label-selector.ts';

/**
 * Every flag of the process. The help, the environment variables and the table of the guide are
 * made from it.
 */
export const FLAGS = [
  {
    name: 'api-url',
    placeholder: 'URL',
    defaultText: 'required',
    about:
      'Base address of the management API, with or without a trailing / or /v1. https; http only on loopback. Objects cannot choose another address, so credentials are sent nowhere else.',
    read: baseUrl,
  },
  {
    name: 'api-allow-http',
    default: 'false',
    about: 'Allow an --api-url with http that is not on loopback. Keys then travel in clear text.',
    read: read.trueOrFalse,
  },
  {
    name: 'api-ca-file',
    placeholder: 'FILE',
    about:
      'PEM file of CA certificates to trust for the management API, in addition to those of the system.',
    read: read.certificates,
  },
  {
    name: 'api-rate',
    placeholder: 'N/TIME',
    default: '10/10s',
    about:
      'Maximum number of calls in any period of TIME, per credential and process, and of all credentials together that have never worked; 0 is unlimited.',
    read: read.rate,
  },
  {
    name: 'api-rate-total',
    placeholder: 'N/TIME',
    default: '0',
    about:
      'Maximum number of calls in any period of TIME, of the whole process. Namespaces take turns. 0 is unlimited.',
    read: read.rate,
  },
  {
    name: 'api-in-flight',
    placeholder: 'N',
    default: '4',
    about: 'Maximum number of concurrent calls per credential; 1 to 100.',
    read: read.wholeNumber(1, 100),
  },
  {
    name: 'api-timeout',
    placeholder: 'TIME',
    default: '35s',
    about: 'Timeout of a whole call to the management API; 1s to 5m.',
    read: read.duration('1s', '5m'),
  },
  {
    name: 'kubeconfig',
    placeholder: 'FILE',
    defaultText: 'in-cluster access in a Pod, else the usual kubeconfig',
    about: 'Kubeconfig file for access to Kubernetes.',
    read: read.existingFile,
  },
  {
    name: 'context',
    placeholder: 'NAME',
    defaultText: 'the current context',
    about: 'Context of the kubeconfig to use.',
    read: read.anyText,
  },
  {
    name: 'namespaces',
    placeholder: 'A,B',
    defaultText: 'all',
    about:
      'Namespaces to work in, comma-separated; Roles then suffice. One that may not be listed is logged and retried, and at start the others wait 30 s for it; where all may be listed, one that does not exist is empty.',
    read: read.namespaces,
  },
  {
    name: 'selector',
    placeholder: 'SELECTOR',
    about: 'Label selector: work only on matching objects, as one of several shards.',
    read: labelSelector,
  },
  {
    name: 'secret-selector',
    placeholder: 'SELECTOR',
    about:
      'Label selector: use only matching Secrets. An object that refers to another gets SecretForbidden, and that Secret is not read.',
    read: labelSelector,
  },
  {
    name: 'plan-only',
    default: 'false',
    about:
      'Treat every object as if in Plan mode: nothing is changed at the API, and each condition says so. Activities are still fetched, because that changes nothing.',
    read: read.trueOrFalse,
  },
  {
    name: 'leader-elect',
    defaultText: 'true in a Pod, else false',
    about: 'Work only while holding a Lease, so that several replicas can run.',
    read: read.trueOrFalse,
  },
  {
    name: 'leader-elect-namespace',
    placeholder: 'NAMESPACE',
    defaultText: 'that of the Pod, else required',
    about: 'Namespace of the Lease.',
    read: read.dnsLabel,
  },
  {
    name: 'leader-elect-name',
    placeholder: 'NAME',
    defaultText: '`pipewright`, plus a hash of selector and namespaces where those are set',
    about:
      'Name of the Lease. Processes that work on the same objects must share one, or they overwrite each other.',
    read: read.dnsName,
  },
  {
    name: 'cleanup-deadline',
    placeholder: 'TIME',
    default: '10m',
    about:
      'How long the deletion of an Organization waits for its private endpoints to be removed; 1m to 24h. After that it is deleted anyway, with an event that names what may be left.',
    read: read.duration('1m', '24h'),
  },
  {
    name: 'listen',
    placeholder: 'ADDRESS',
    default: ':8080',
    about: 'Address of /livez, /readyz and /metrics; port 0 selects a free port.',
    read: read.listenAddress,
  },
  {
    name: 'log-level',
    placeholder: 'LEVEL',
    default: 'info',
    about: `One of ${LOG_LEVELS.join(', ')}.`,
    read: read.oneOf(LOG_LEVELS),
  },
  {
    name: 'help',
    commandLineOnly: true,
    about: 'Show the flags and exit.',
    read: read.trueOrFalse,
  },
  {
    name: 'version',
    commandLineOnly: true,
    about: 'Show the version and exit.',
    read: read.trueOrFalse,
  },
] as const satisfies readonly Flag[];

type Declared = (typeof FLAGS)[number];
type ValueOf<Read> = Read extends (text: string) => Reading<infer Value> ? Value : never;
/** By flag: what was given, or else the default. */
export type FlagValues = { readonly [One in Declared as One['name']]?: ValueOf<One['read']> };
type Filled = Extract<Declared, { readonly default: string }>['name'] | 'api-url';
/** The values once there is no problem left: whatever has a default, or is required, is there. */
export type CompleteFlagValues = FlagValues & Required<Pick<FlagValues, Filled>>;

/** Whether http may be used depends on another flag; see `parseConfig`. */
function baseUrl(text: string): Reading<URL> {
  if (!URL.canParse(text))
    return { problem: `${shown(text)} is not a URL; write it like https://api.example.com` };
  const parsed = parseBaseUrl(text, { allowHttp: true });
  return 'url' in parsed ? { value: parsed.url } : { problem: `${shown(text)}: ${parsed.problem}` };
}
