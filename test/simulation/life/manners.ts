import type { OrganizationBehaviour, SettingsBehaviour } from '../../simulator/manners.ts';
import type { Draw } from '../engine/draw.ts';
import { POOL } from './specs.ts';
import type { Manner } from './world.ts';

type Named<Behaviour> = Readonly<Record<string, Partial<Behaviour>>>;

/** How an organization treats an endpoint that is there already: each has one of these. */
const EXISTING: Named<OrganizationBehaviour> = {
  'an add of what is there is no-op': { addExisting: 'no-op' },
  'an add of what is there is 409': { addExisting: 'conflict' },
  'an add of what is there is upsert': { addExisting: 'upsert' },
};

/** What else may be odd about it: what servers of this kind are known for, and no more. */
const ODD: Named<OrganizationBehaviour> = {
  'the list is one call behind': { echo: 'lagging' },
  'the list is absent while empty': { list: 'absent-when-empty' },
  'ids in capitals': { tuples: 'upper-id' },
  'regions in capitals': { tuples: 'upper-region' },
  'two empty lists are refused': { emptyLists: 'bad-request' },
  'two empty lists are 422': { emptyLists: 'unprocessable' },
  'refuses without naming': { refusedText: 'generic' },
  'half of a refused change stays': { onError: 'partial' },
};

const SETTINGS: Named<SettingsBehaviour> = {
  'replaces all settings': { writes: 'replace' },
  'shows what is set': { echo: 'only-set' },
  'numbers as text': { echo: 'strings' },
  'moves threads below 20': { clamp: { engine_max_threads: [0, 20] } },
  'takes no more than 20 threads': { ranges: { engine_max_threads: [0, 20] } },
};

export function drawOrganizationManners(draw: Draw): Manner[] {
  const refused = draw.of('refused');
  const refusedIds = refused.some(POOL, refused.between(1, 2)).map(({ id }) => id);
  const refusedStatus = refused.pick([400, 403, 409, 422]);
  const refuses = {
    name: `refuses ${refusedIds.join()}`,
    behaviour: { refusedIds, refusedStatus },
  };
  return [
    drawOne(draw, EXISTING),
    ...(draw.chance(0.5) ? [drawOne(draw, ODD)] : []),
    ...(draw.chance(0.2) ? [refuses] : []),
  ].map(({ name, behaviour }) => ({ name, behaviour: { organization: behaviour } }));
}

export function drawSettingsManners(draw: Draw): Manner[] {
  if (draw.chance(0.6)) return [];
  const { name, behaviour } = drawOne(draw, SETTINGS);
  return [{ name, behaviour: { settings: behaviour } }];
}

function drawOne<Behaviour>(
  draw: Draw,
  from: Named<Behaviour>,
): { readonly name: string; readonly behaviour: Partial<Behaviour> } {
  const [name, behaviour] = draw.pick(Object.entries(from));
  return { name, behaviour };
}
