import { normaliseBaseUrl } from '../api/http/base-url.ts';
import type { Config } from './config.ts';
import { namespaces as namespacesIn } from './flag-values.ts';
import type { Reading } from './flags.ts';
import { labelSelector } from './label-selector.ts';

/** The annotations in which a leader says in its Lease what it is and works on. */
const ANNOUNCED = {
  version: 'pipewright.dev/version',
  namespaces: 'pipewright.dev/namespaces',
  selector: 'pipewright.dev/selector',
  secretSelector: 'pipewright.dev/secret-selector',
  apiUrl: 'pipewright.dev/api-url',
  planOnly: 'pipewright.dev/plan-only',
} as const;
export const ANNOTATIONS: readonly string[] = Object.values(ANNOUNCED);

/** What an operator says of itself. */
export interface Announcement {
  readonly version: string;
  /** Empty: all. */
  readonly namespaces: readonly string[];
  /** In the spelling of `label-selector.ts`; empty: all objects. */
  readonly selector: string;
  /** The same, of Secrets. */
  readonly secretSelector: string;
  readonly apiUrl: string;
  readonly planOnly: boolean;
}

/** The annotations of its Lease. A flag that is not given is an empty text. */
export function announcement(
  config: Pick<Config, 'namespaces' | 'selector' | 'secretSelector' | 'apiUrl' | 'planOnly'>,
  version: string,
): Record<string, string> {
  return {
    [ANNOUNCED.version]: version,
    [ANNOUNCED.namespaces]: config.namespaces.join(','),
    [ANNOUNCED.selector]: config.selector ?? '',
    [ANNOUNCED.secretSelector]: config.secretSelector ?? '',
    // Made of protocol, host and path alone, so that no user info could get there.
    [ANNOUNCED.apiUrl]: normaliseBaseUrl(config.apiUrl),
    [ANNOUNCED.planOnly]: String(config.planOnly),
  };
}

/** As a version is written; what is printed of it can be no sentence. */
const VERSION = /^[\w.+-]{1,64}$/;

/**
 * What a Lease says of its operator; undefined where no operator has written into it: anybody may
 * write a Lease, but an operator writes nothing that its flags would refuse.
 */
export function announcedIn(
  annotations: Readonly<Record<string, string>> | undefined,
): Announcement | undefined {
  const version = annotations?.[ANNOUNCED.version];
  if (annotations === undefined || version === undefined || !VERSION.test(version))
    return undefined;
  const names = readUnlessEmpty(annotations[ANNOUNCED.namespaces], namespacesIn, []);
  const selector = readUnlessEmpty(annotations[ANNOUNCED.selector], labelSelector, '');
  const secretSelector = readUnlessEmpty(annotations[ANNOUNCED.secretSelector], labelSelector, '');
  if ('problem' in names || 'problem' in selector || 'problem' in secretSelector) return undefined;
  return {
    version,
    namespaces: names.value,
    selector: selector.value,
    secretSelector: secretSelector.value,
    apiUrl: annotations[ANNOUNCED.apiUrl] ?? '',
    planOnly: annotations[ANNOUNCED.planOnly] === 'true',
  };
}

function readUnlessEmpty<Value>(
  text: string | undefined,
  read: (text: string) => Reading<Value>,
  empty: Value,
): Reading<Value> {
  return text === undefined || text === '' ? { value: empty } : read(text);
}
