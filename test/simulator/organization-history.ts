import { endpointKey, type Organization, type PrivateEndpoint } from './organization-types.ts';
import type { Time } from './time.ts';

const MOST_KEPT = 1000;

/**
 * One organization over time: what is stored, what was, and which calls are still without an
 * answer.
 */
export interface History {
  readonly present: Organization;
  store(next: Organization): void;
  /** As it was so long ago; the oldest known where that is too long. */
  ago(ms: number): Organization;
  /** As it was before the call before this one; told of every call once. */
  lagging(): Organization;
  /** The endpoint with the description its tuple had first. */
  firstDescribed(endpoint: PrivateEndpoint): PrivateEndpoint;
  readonly busy: boolean;
  /** As it was before the calls that have no answer yet; the present where there is none. */
  readonly settled: Organization;
  /** A call begins; the function returned ends it, once. */
  begin(): () => void;
}

/** Begins with an organization as it is now. */
export function createHistory(first: Organization, time: Time): History {
  const states: { since: number; organization: Organization }[] = [];
  const descriptions = new Map<string, string | undefined>();
  let present = first;
  let beforePrevious: Organization | undefined;
  let open = 0;
  let settled: Organization | undefined;

  function store(next: Organization): void {
    present = next;
    states.push({ since: time.passed(), organization: next });
    if (states.length > MOST_KEPT) states.shift();
    for (const endpoint of next.privateEndpoints) {
      const key = endpointKey(endpoint);
      if (!descriptions.has(key)) descriptions.set(key, endpoint.description);
    }
  }

  store(first);
  return {
    get present() {
      return present;
    },
    store,
    ago: (ms) => {
      const at = time.passed() - ms;
      return (
        states.findLast(({ since }) => since <= at)?.organization ??
        states[0]?.organization ??
        present
      );
    },
    lagging: () => {
      const shown = beforePrevious ?? present;
      beforePrevious = present;
      return shown;
    },
    firstDescribed: (endpoint) => {
      const key = endpointKey(endpoint);
      if (!descriptions.has(key)) return endpoint;
      const { id, cloudProvider, region } = endpoint;
      const description = descriptions.get(key);
      return { id, cloudProvider, region, ...(description !== undefined && { description }) };
    },
    get busy() {
      return open > 0;
    },
    get settled() {
      return settled ?? present;
    },
    begin: () => {
      settled ??= present;
      open += 1;
      let going = true;
      return () => {
        if (!going) return;
        going = false;
        open -= 1;
        if (open === 0) settled = undefined;
      };
    },
  };
}
