import type { OrganizationBehaviour } from '../../simulator/organization-types.ts';
import type { SettingsBehaviour } from '../../simulator/pipe-settings.ts';
import type { Draw } from '../engine/draw.ts';
import type { Endpoint } from './specs.ts';

/** One way in which the API differs from the plainest one that its document allows. */
export interface Trait<Behaviour> {
  readonly name: string;
  readonly behaviour: Partial<Behaviour>;
}

type OrganizationTrait = Trait<OrganizationBehaviour>;

const plain = <Behaviour>(
  behaviours: Readonly<Record<string, Partial<Behaviour>>>,
): Trait<Behaviour>[] =>
  Object.entries(behaviours).map(([name, behaviour]) => ({ name, behaviour }));

/**
 * How it treats an endpoint that is there already, and one that is not: every organization has one
 * of these.
 */
const MANNERS = plain<OrganizationBehaviour>({
  'no-op': { addExisting: 'no-op' },
  upsert: { addExisting: 'upsert', matchBy: 'id' },
  duplicates: { addExisting: 'duplicate', matchBy: 'tuple' },
  'strict, 400': { addExisting: 'bad-request', removeAbsent: 'bad-request' },
  'strict, 409': { addExisting: 'conflict', removeAbsent: 'not-found' },
  'no-op by tuple': { addExisting: 'no-op', matchBy: 'tuple' },
});

/** What else may be odd about it. */
const ODDITIES = plain<OrganizationBehaviour>({
  'regions in capitals': { tuples: 'upper-region' },
  'ids in capitals': { tuples: 'upper-id' },
  'regions have another name': { tuples: 'region-alias' },
  'ids in small letters': { tuples: 'lower-id' },
  'trims endpoints': { tuples: 'trimmed' },
  'no list': { list: 'absent' },
  'list null': { list: 'null' },
  'no list while it is empty': { list: 'absent-when-empty' },
  'entries twice': { list: 'doubled' },
  'list in any order': { list: 'shuffled' },
  'refuses a look with 400': { emptyLists: 'bad-request' },
  'refuses a look with 422': { emptyLists: 'unprocessable' },
  'fails a look with 500': { emptyLists: 'server-error' },
  'shows the state before the call': { echo: 'stale' },
  'lags behind its writes': { staleForMs: 20_000 },
  'half of a refused change stays': { onError: 'partial' },
  'keeps the first description': { descriptions: 'first-kept' },
  'never shows descriptions': { description: 'dropped' },
  'adds before it removes': { order: 'add-first' },
  'trims names': { name: 'trimmed' },
  'names in capitals': { name: 'upper-case' },
  'ignores names': { name: 'ignored' },
  'refuses names': { name: 'bad-request' },
  'ignores adds': { add: 'ignored' },
  'knows no adds': { add: 'gone' },
  'a null in the list': { entries: 'null-among' },
  'refuses two changes at once': { concurrent: 'conflict' },
  'loses one of two changes at once': { concurrent: 'lost-update' },
  'an entry without a region': { entries: 'no-region-among' },
  'entries without regions': { entries: 'no-regions' },
});

const WORDINGS = ['names-id', 'generic', 'longer-id', 'changing'] as const;

/**
 * How one organization behaves for a whole life; a long list is looked at in other ways where it
 * cannot be asked for.
 */
export function organizationTraits(
  draw: Draw,
  pool: readonly Endpoint[],
  isCrowded: boolean,
): OrganizationTrait[] {
  const wording = draw.pick(WORDINGS);
  const traits: OrganizationTrait[] = [
    draw.pick(MANNERS),
    { name: `errors: ${wording}`, behaviour: { refusedText: wording } },
  ];
  if (isCrowded && draw.chance(0.5))
    traits.push(draw.pick(ODDITIES.filter(({ behaviour }) => behaviour.emptyLists)));
  else if (draw.chance(0.5)) traits.push(draw.pick(ODDITIES));
  if (draw.chance(0.15)) traits.push(draw.pick(ODDITIES));
  if (draw.chance(pool.length > 5 ? 0.8 : 0.15)) {
    const refusedIds = draw.some(pool, draw.between(1, 2)).map(({ id }) => id);
    const refusedStatus = draw.pick([400, 409, 422]);
    traits.push({
      name: `refuses ${refusedIds.join(' and ')}`,
      behaviour: { refusedIds, refusedStatus },
    });
  }
  if (draw.chance(0.08)) {
    const refuseRemoves = draw.some(pool, 1).map(({ id }) => id);
    traits.push({ name: `keeps ${refuseRemoves.join()}`, behaviour: { refuseRemoves } });
  }
  return traits;
}

const SETTINGS = plain<SettingsBehaviour>({
  'replaces all settings': { writes: 'replace' },
  'shows what is set': { echo: 'only-set' },
  'shows nothing': { echo: 'none' },
  'shows the state before the call': { echo: 'stale' },
  'numbers as text': { echo: 'strings' },
  'ones and zeros': { echo: 'ones-and-zeros' },
  'unknown keys': { echo: 'extra-keys' },
  'null for what is not set': { echo: 'null-for-unset' },
  'moves threads below 20': { clamp: { engine_max_threads: [0, 20] } },
  'refuses more than 20 threads': { ranges: { engine_max_threads: [0, 20] } },
  'takes no threads': { notApplicable: ['engine_max_threads'] },
});

export function settingsTraits(draw: Draw): Trait<SettingsBehaviour>[] {
  return draw.chance(0.4) ? [draw.pick(SETTINGS)] : [];
}

export function behaviourOf<Behaviour>(traits: readonly Trait<Behaviour>[]): Partial<Behaviour> {
  const merged: Partial<Behaviour> = {};
  for (const { behaviour } of traits) Object.assign(merged, behaviour);
  return merged;
}
