import { settle } from '../../../src/kinds/organization/settle.ts';
import { ms } from '../kinds/rows.ts';
import { at, SECOND, T0 } from '../kinds/stage.ts';
import { e, goalIn, inventoryOf, listing, SETTLE_MS, words } from './endpoints.ts';

export type Settlement = ReturnType<typeof settle>;
export type Evidence = Parameters<typeof settle>[0];

export interface Row {
  /** As `goalIn` reads it. */
  readonly spec: string;
  /** As `inventoryOf` reads it. */
  readonly inventory: string;
  /** `+a -b`, at T0; `answered`: the list is in the reply to it. */
  readonly sent: string;
  readonly list: string;
  /** When the list was asked for. */
  readonly asked: string;
  /** Of `said`. */
  readonly then: string;
}

export function settled({ spec, inventory, sent, list, asked }: Omit<Row, 'then'>): Settlement {
  const askedAt = T0 + ms(asked);
  const [add, remove] = ['+', '-'].map((sign) =>
    words(sent)
      .filter((word) => word.startsWith(sign))
      .map((word) => e(word.slice(1))),
  );
  const change = { time: at(0), add: add ?? [], remove: remove ?? [] };
  return settle({
    inventory: inventoryOf(inventory.replace(/ ?applied$/, '')),
    goal: goalIn(spec),
    list: listing(list),
    askedAt,
    now: askedAt + 5 * SECOND,
    sent: sent === '' ? undefined : { change, answered: sent.endsWith('answered') },
    settleMs: SETTLE_MS,
    uid: 'uid-1',
    wasApplied: inventory.endsWith('applied'),
  });
}

/** `a Added Present; event maybe-ours a; change open`. */
export function said({ inventory, remarks, pendingChange, added, removed }: Settlement): string {
  const parts = [
    ...inventory.map(({ id, origin = '–', state }) => `${id} ${origin} ${state}`),
    ...added.map(({ id }) => `added ${id}`),
    ...removed.map(({ id }) => `removed ${id}`),
    ...remarks.map(({ remark, tuple }) => `event ${remark} ${tuple.id}`),
    ...(pendingChange ? ['change open'] : []),
  ];
  return parts.join('; ') || 'nothing';
}
