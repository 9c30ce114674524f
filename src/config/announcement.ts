import { normaliseBaseUrl } from '../api/http/base-url.ts';
import type { Config } from './config.ts';

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

/** What a Lease says of its operator; undefined where no operator has written into it. */
export function announcedIn(
  annotations: Readonly<Record<string, string>> | undefined,
): Announcement | undefined {
  const version = annotations?.[ANNOUNCED.version];
  if (annotations === undefined || version === undefined) return undefined;
  return {
    version,
    namespaces: (annotations[ANNOUNCED.namespaces] ?? '').split(',').filter((name) => name !== ''),
    selector: annotations[ANNOUNCED.selector] ?? '',
    secretSelector: annotations[ANNOUNCED.secretSelector] ?? '',
    apiUrl: annotations[ANNOUNCED.apiUrl] ?? '',
    planOnly: annotations[ANNOUNCED.planOnly] === 'true',
  };
}
