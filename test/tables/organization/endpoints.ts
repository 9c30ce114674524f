import { cleanupGoal, goalOf } from '../../../src/kinds/organization/decide.ts';
import type { settle } from '../../../src/kinds/organization/settle.ts';
import { at, MINUTE, SECOND, SPECS } from '../kinds/objects.ts';

type Settlement = ReturnType<typeof settle>;
type Entry = Settlement['inventory'][number];
export type Tuple = Settlement['added'][number];
type List = Parameters<typeof settle>[0]['list'];
export type Reported = NonNullable<ReturnType<List['find']>>;

/** `--api-timeout` of 35 s, and 60 s. */
export const SETTLE_MS = 95 * SECOND;

/** `a`, or `a/r2` for another region. All else of it is as of every other. */
export function e(text: string): Tuple {
  const [id = '', region = 'r1'] = text.split('/');
  return { id, cloudProvider: 'gcp', region };
}

export const words = (text: string): string[] => text.split(' ').filter((word) => word !== '');
export const all = (text: string): Tuple[] => words(text).map(e);

const plain = (text: string) => text.trim().toLowerCase();
/** Equal for two that mean the same endpoint. */
const keyOf = ({ id, cloudProvider, region }: Tuple) =>
  [id, cloudProvider, region].map(plain).join(' ');

/** What a reply lists; how odd a list may be, the attempts show. */
export function listing(entries: readonly Reported[]): List {
  const withId = (id: string) => entries.filter((one) => plain(one.id) === plain(id));
  const find = (tuple: Tuple) =>
    withId(tuple.id).find((one) => keyOf({ ...tuple, ...one } as Tuple) === keyOf(tuple));
  // Its class has a private field, which no other object can have.
  return { find, withId } as unknown as List;
}

/** `a b` listed; `adopt a`; `absent`: no list; `deleted a`: the object is, and lists it. */
export function goalIn(text: string) {
  const listed = all(text.replace(/^(adopt|deleted|absent)/, ''));
  const spec = {
    ...SPECS.Organization,
    ...(!text.startsWith('absent') && { privateEndpoints: listed }),
    ...(text.startsWith('adopt') && { adoptPrivateEndpoints: true }),
  };
  return text.startsWith('deleted') ? cleanupGoal(spec, []) : goalOf(spec);
}

const LAST_ERROR = { httpStatus: 400, message: 'HTTP 400: no' };
const MORE: Readonly<Record<string, object>> = {
  /** Its removal, or its add where it is not there, was refused. */
  refused: { attempts: 1, lastError: LAST_ERROR, nextAttemptTime: at(10 * MINUTE) },
  /** Never seen in time, which was said, and waits to be sent again. */
  late: { attempts: 1, nextAttemptTime: at(12 * MINUTE) },
  again: { attempts: 1, nextAttemptTime: at(0) },
  due: { nextAttemptTime: at(0) },
  /** Of an earlier change. */
  older: { since: at(-10 * SECOND) },
};

/** `a Added Present, b – Refused refused`; what waits does so since T0. */
export function inventoryOf(text: string): Entry[] {
  const entries = text.split(',').filter((one) => one.trim() !== '');
  return entries.map((one) => {
    const [id = '', origin = '', state = '', ...more] = words(one);
    const since = ['Missing', 'Unconfirmed', 'Removing'].includes(state) ? { since: at(0) } : {};
    const unknown = more.find((word) => !MORE[word]);
    if (unknown) throw new Error(`"${unknown}" of an entry says nothing`);
    const fields = Object.assign({}, ...more.map((word) => MORE[word])) as object;
    return { ...e(id), ...(origin !== '–' && { origin }), state, ...since, ...fields } as Entry;
  });
}
