import { basic } from '../../simulator/caller.ts';
import type { Draw } from '../engine/draw.ts';
import type { Life } from '../life/life.ts';
import { drawApiFault } from '../life/mishaps.ts';
import type { Endpoint } from '../life/specs.ts';
import { behaviourOf } from '../life/traits.ts';
import type { OrganizationDraft } from '../life/world.ts';
import type { Act, Focus } from './act.ts';

/** The key of the other client. */
export const SOMEBODY = { id: 'somebody-else', secret: 'secret-of-somebody-else' };

const SECOND = 1_000;

/** What other clients of the management API do, and what becomes of the API itself. */
export const apiActs: readonly Act[] = [
  {
    name: 'other adds',
    means: 'others',
    weight: 10,
    perform: (life, draw, focus) => {
      const organization = anOrganization(life, draw, focus);
      const endpoint = spelled(draw, draw.pick(organization.pool));
      return patch(life, organization, { add: [endpoint] }, `adds ${shown(endpoint)} to`);
    },
  },
  {
    name: 'other removes',
    means: 'others',
    weight: 6,
    perform: (life, draw, focus) => {
      const organization = anOrganization(life, draw, focus);
      const present = life.api.organizations.of(organization.id)?.privateEndpoints ?? [];
      if (present.length === 0) return undefined;
      const { id, cloudProvider, region } = draw.pick(present);
      const endpoint = { id, cloudProvider, region };
      return patch(life, organization, { remove: [endpoint] }, `removes ${shown(endpoint)} from`);
    },
  },
  {
    name: 'other puts anew',
    means: 'others',
    weight: 2,
    perform: (life, draw, focus) => {
      const organization = anOrganization(life, draw, focus);
      const present = life.api.organizations.of(organization.id)?.privateEndpoints ?? [];
      if (present.length === 0) return undefined;
      const { id, cloudProvider, region } = draw.pick(present);
      const endpoint = { id, cloudProvider, region };
      patch(life, organization, { remove: [endpoint] }, 'removes');
      const wantedMs = draw.pick([0, 30 * SECOND, 90 * SECOND, 300 * SECOND]);
      const laterMs = Math.min(wantedMs, Math.max(0, life.world.restAt - 1 - life.timeline.now));
      life.after(laterMs, () => void patch(life, organization, { add: [endpoint] }, 'adds'));
      return `somebody else removes ${shown(endpoint)} from ${organization.id} and adds it again ${laterMs / SECOND} s later`;
    },
  },
  {
    name: 'other respells',
    means: 'others',
    weight: 1,
    perform: (life, draw, focus) => {
      const organization = anOrganization(life, draw, focus);
      const present = life.api.organizations.of(organization.id)?.privateEndpoints ?? [];
      if (present.length === 0) return undefined;
      const { id, cloudProvider, region } = draw.pick(present);
      const capital = id === id.toUpperCase() ? id.toLowerCase() : id.toUpperCase();
      const respelled = draw.chance(0.7)
        ? { id: capital, region }
        : { id, region: region.toUpperCase() };
      const change = {
        remove: [{ id, cloudProvider, region }],
        add: [{ cloudProvider, ...respelled }],
      };
      return patch(life, organization, change, `spells ${id} (${region}) in other letters at`);
    },
  },
  {
    name: 'other renames',
    means: 'others',
    weight: 3,
    perform: (life, draw, focus) => {
      const name = `Theirs ${draw.between(1, 999)}`;
      return patch(
        life,
        anOrganization(life, draw, focus),
        { name },
        `gives the name "${name}" to`,
      );
    },
  },
  {
    name: 'other sets',
    means: 'others',
    weight: 2,
    perform: (life, draw) => {
      const { organizationId, pipeId } = draw.pick(life.world.pipes);
      const settings = { engine_max_download_threads: draw.between(0, 32) };
      life.api.settings.set(`${organizationId}/service/${pipeId}`, settings);
      return `somebody else sets ${JSON.stringify(settings)} on ${pipeId}`;
    },
  },
  {
    name: 'record purged',
    means: 'others',
    weight: 1,
    perform: (life, draw) => {
      const { organizationId, activityId } = draw.pick(life.world.activities);
      life.purge(organizationId, activityId);
      return `the API purges the record ${activityId}`;
    },
  },
  {
    name: 'refuses connections',
    means: 'api outages',
    weight: 2,
    perform: (life, draw) => {
      const seconds = draw.pick([3, 30, 240]);
      life.weather.apiIsDown = true;
      for (const pool of life.fleet.apiPools()) pool.breakOff();
      life.after(seconds * SECOND, () => {
        life.weather.apiIsDown = false;
        life.lastDownAt = life.timeline.now;
      });
      return `the API refuses connections for ${seconds} s`;
    },
  },
  {
    name: 'answers everything alike',
    means: 'api outages',
    weight: 4,
    perform: (life, draw) => {
      const seconds = draw.pick([2, 20, 120, 600]);
      const fault = drawApiFault(draw, [500, 503, 504, 401, 403, 404, 424, 429, 409, 400]);
      const { now } = life.timeline;
      life.weather.apiTrouble = { id: 'trouble', what: fault, until: now + seconds * SECOND };
      return `the API answers every call with ${fault.status}${fault.applied ? ', and does the work' : ''}, for ${seconds} s`;
    },
  },
  {
    name: 'limit',
    means: 'limits',
    weight: 2,
    perform: (life, draw) => {
      const calls = draw.between(1, 3);
      const seconds = draw.pick([10, 60]);
      life.api.limits.set({
        calls,
        perMs: seconds * SECOND,
        header: draw.pick(['retry-after', 'reset-seconds', 'none']),
      });
      life.after(5 * 60 * SECOND, () => life.api.limits.set(life.world.rate));
      return `for five minutes the API takes ${calls} calls in ${seconds} s from each key`;
    },
  },
];

interface Change {
  readonly name?: string;
  readonly add?: readonly Endpoint[];
  readonly remove?: readonly Endpoint[];
}

function patch(life: Life, { id }: OrganizationDraft, change: Change, text: string): string {
  return `somebody else ${text} ${id} (${patchAsSomebody(life, id, change)})`;
}

/** A PATCH with the other client's own key; gives the HTTP status of its answer. */
export function patchAsSomebody(life: Life, id: string, { name, add, remove }: Change): number {
  const traits = life.world.organizations.find((one) => one.id === id)?.traits ?? [];
  const body = {
    ...(name !== undefined && { name }),
    ...((add || remove) && { privateEndpoints: { add, remove } }),
  };
  const work = life.api.work(
    {
      method: 'PATCH',
      path: `/v1/organizations/${id}`,
      headers: {
        authorization: basic(SOMEBODY.id, SOMEBODY.secret),
        'content-type': 'application/json',
      },
      body: JSON.stringify(body),
    },
    {
      organization: {
        ...behaviourOf(traits),
        refusedIds: [],
        refuseRemoves: [],
        name: 'kept',
        add: 'honoured',
      },
    },
  );
  work.ended?.();
  if (work.moves)
    life.tell({ what: 'other', host: life.apiHost, organizationId: id, moves: work.moves });
  return work.reply.status;
}

function anOrganization({ world }: Life, draw: Draw, { target }: Focus): OrganizationDraft {
  return (
    world.organizations.find(({ id }) => target === `organization ${id}`) ??
    draw.pick(world.organizations)
  );
}

/** Now and then the same endpoint in other letters, or one with the same id elsewhere. */
function spelled(draw: Draw, endpoint: Endpoint): Endpoint {
  switch (draw.weighted({ same: 80, capitals: 10, elsewhere: 10, blanks: 4 })) {
    case 'same':
      return endpoint;
    case 'capitals':
      return { ...endpoint, id: endpoint.id.toUpperCase() };
    case 'elsewhere':
      return { ...endpoint, region: 'eu-west-1' };
    case 'blanks':
      return { ...endpoint, id: `${endpoint.id} ` };
  }
}

function shown({ id, region }: Endpoint): string {
  return `${id} (${region})`;
}
