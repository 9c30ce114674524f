import { cleanupGoal, goalOf } from '../../../src/kinds/organization/decide.ts';
import { Listing } from '../../../src/kinds/organization/endpoints.ts';
import type { settle } from '../../../src/kinds/organization/settle.ts';
import { at, MINUTE, SECOND } from '../kinds/stage.ts';

export type Spec = Parameters<typeof goalOf>[0];
export type Goal = ReturnType<typeof goalOf>;
export type Reported = ConstructorParameters<typeof Listing>[0][number];
export interface Tuple {
  readonly id: string;
  readonly cloudProvider: string;
  readonly region: string;
}
export type Entry = ReturnType<typeof settle>['inventory'][number];

/** `--api-timeout` of 35 s, and 60 s. */
export const SETTLE_MS = 95 * SECOND;

/** `a`, or `a/r2` for another region. All else of it is as of every other. */
export function e(text: string, more: object = {}): Tuple {
  const [id = '', region = 'r1'] = text.split('/');
  return { id, cloudProvider: 'gcp', region, ...more };
}

export const words = (text: string): string[] => text.split(' ').filter((word) => word !== '');

/** `a b/r2`: what is listed so. */
export function listing(text: string): Listing {
  return new Listing(words(text).map((one) => e(one)));
}

export function specOf(text: string): Spec {
  const adoptPrivateEndpoints = text.startsWith('adopt');
  const listed = words(text.replace(/^(adopt|deleted|absent)/, ''));
  return {
    organizationId: '0b1d7c52-91a4-4f0e-8a3b-6f1e2d3c4b5a',
    credentialsSecretRef: { name: 'api' },
    ...(!text.startsWith('absent') && { privateEndpoints: listed.map((one) => e(one)) }),
    ...(adoptPrivateEndpoints && { adoptPrivateEndpoints }),
  };
}

/** `a b` listed; `adopt a`; `absent`: no list; `deleted a`: the object is, and lists it. */
export function goalIn(text: string, others = ''): Goal {
  const spec = specOf(text);
  if (!text.startsWith('deleted')) return goalOf(spec);
  return cleanupGoal(
    spec,
    words(others).map((one) => e(one)),
  );
}

const LAST_ERROR = { httpStatus: 400, message: 'HTTP 400: no' };
const MORE: Readonly<Record<string, object>> = {
  /** Its removal, or its add where it is not there, was refused. */
  refused: { attempts: 1, lastError: LAST_ERROR, nextAttemptTime: at(10 * MINUTE) },
  /** Never seen in time, which was said, and waits to be sent again. */
  'given-up': { attempts: 1, nextAttemptTime: at(12 * MINUTE) },
  again: { attempts: 1, nextAttemptTime: at(0) },
  due: { nextAttemptTime: at(0) },
  waiting: { nextAttemptTime: at(SECOND) },
};

/** `a Added Present, b – Refused refused`; what waits does so since T0. */
export function inventoryOf(text: string): Entry[] {
  return text
    .split(', ')
    .filter(Boolean)
    .map((one) => {
      const [id = '', origin = '', state = '', ...more] = words(one);
      const since = ['Missing', 'Unconfirmed', 'Removing'].includes(state) ? { since: at(0) } : {};
      const fields = Object.assign({}, ...more.map((word) => MORE[word])) as object;
      const owned = origin === '–' ? {} : { origin };
      return { ...e(id), ...owned, state, ...since, ...fields } as Entry;
    });
}
