import { organization } from '../../../src/kinds/organization/index.ts';
import type { OrganizationSpec } from '../../../src/kinds/organization/resource.ts';
import { apiHashOf } from '../../../src/kinds/target/proof.ts';
import { anAnswer, BASE_URL } from '../../support/objects.ts';
import { e } from '../../support/organization-entries.ts';
import { anOrganization } from '../../support/organization-objects.ts';
import { type Call, Visited } from './stored.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

interface Endpoint {
  readonly id: string;
  readonly cloudProvider: string;
  readonly region: string;
  readonly description?: string;
}

interface Patch {
  readonly name?: string;
  readonly privateEndpoints?: {
    readonly add?: readonly Endpoint[];
    readonly remove?: readonly Endpoint[];
  };
}

/** An organization as an API keeps it that does at once what it is told. */
class Kept {
  name = 'As it was';
  endpoints: readonly Endpoint[] = [];
  /** Lists are late: a reply shows what was there before. */
  isLate = false;

  readonly answer = ({ body = '{}' }: Call) => {
    const before = this.endpoints;
    this.take(body);
    const privateEndpoints = this.isLate ? before : this.endpoints;
    const id = 'org-1';
    const byocConfig = [{ id: 'byoc-1', state: 'READY', regionId: 'r1', extra: 1 }];
    const result = { id, name: this.name, createdAt: '2025', privateEndpoints, byocConfig };
    return anAnswer(200, { result });
  };

  take(body: string): void {
    const { name = this.name, privateEndpoints = {} } = JSON.parse(body) as Patch;
    const { add = [], remove = [] } = privateEndpoints;
    const gone = new Set(remove.map(({ id }) => id));
    this.name = name;
    this.endpoints = [...this.endpoints.filter(({ id }) => !gone.has(id)), ...add];
  }
}

interface Story {
  readonly story: Visited;
  readonly api: Kept;
}

type Spec = Partial<OrganizationSpec>;

function begin(ids: readonly string[] | undefined, spec: Spec = {}, planOnly = false): Story {
  const metadata = { creationTimestamp: '2025-12-31T00:00:00Z' };
  const object = anOrganization({ ...(ids && { ids }), spec, metadata });
  const story = new Visited(organization.create, object, { planOnly });
  const api = new Kept();
  story.answer = api.answer;
  return { story, api };
}

const refuse = (httpStatus: number, error: string) => () => anAnswer(httpStatus, { error });

/** Whether a call tells the API to add or remove something. */
const changes = ({ body = '' }: Call): boolean => /"(add|remove)":\[\{/.test(body);

export const organizationStories: Readonly<Record<string, () => Promise<Visited>>> = {
  'name and endpoints, from nothing': async () => {
    const { story } = begin(undefined, {
      name: 'Acme Data',
      privateEndpoints: [e('psc-1'), { ...e('psc-2'), description: 'the second' }],
    });
    await story.visit();
    return story;
  },

  'one goes, another comes': async () => {
    const { story } = begin(['psc-1', 'psc-2']);
    await story.visit();
    story.startHere();
    story.declare({ privateEndpoints: [e('psc-2'), e('psc-3')] });
    await story.visit(5 * MINUTE);
    return story;
  },

  'what was there before, found and then adopted': async () => {
    const { story, api } = begin(['psc-1']);
    api.endpoints = [{ ...e('psc-1'), description: 'theirs' }, e('other')];
    await story.visit();
    story.declare({ adoptPrivateEndpoints: true });
    await story.visit(5 * MINUTE);
    return story;
  },

  'a list that is late': async () => {
    const { story, api } = begin(['psc-1']);
    api.isLate = true;
    await story.visit();
    api.isLate = false;
    await story.visit(MINUTE);
    return story;
  },

  'a removal that the list shows late': async () => {
    const { story, api } = begin(['psc-1']);
    await story.visit();
    story.startHere();
    api.isLate = true;
    story.declare({ privateEndpoints: [] });
    await story.visit(5 * MINUTE);
    api.isLate = false;
    await story.visit(5 * MINUTE);
    return story;
  },

  'an answer that is lost': async () => {
    const { story, api } = begin(['psc-1']);
    story.answer = (call) => {
      if (!changes(call)) return api.answer(call);
      api.take(call.body ?? '{}');
      return { answered: false, sent: true, cause: 'connection reset' };
    };
    await story.visit();
    await story.visit(MINUTE);
    await story.visit(5 * MINUTE);
    return story;
  },

  'an endpoint that the API refuses': async () => {
    const { story, api } = begin(['psc-1', 'psc-2']);
    const no = refuse(422, 'psc-2 is not accepted');
    const isBad = (call: Call) => changes(call) && call.body?.includes('psc-2');
    story.answer = (call) => (isBad(call) ? no() : api.answer(call));
    await story.visit();
    await story.visit(HOUR);
    return story;
  },

  'one that vanishes': async () => {
    const { story, api } = begin(['psc-1', 'psc-2'], { reassertInterval: '1h' });
    await story.visit();
    story.startHere();
    api.endpoints = [e('psc-1'), e('stranger')];
    api.name = 'Another';
    await story.visit(2 * HOUR);
    await story.visit(2 * MINUTE);
    await story.visit(HOUR);
    return story;
  },

  'an id that is taken in another region': async () => {
    const { story, api } = begin(['psc-1']);
    api.endpoints = [e('psc-1', { region: 'r9' })];
    await story.visit();
    return story;
  },

  'more removals than are allowed': async () => {
    const { story } = begin(['psc-1', 'psc-2'], { maxPrivateEndpointRemovals: 1 });
    await story.visit();
    story.startHere();
    story.declare({ privateEndpoints: [] });
    await story.visit(5 * MINUTE);
    return story;
  },

  'a name that the API writes another way': async () => {
    const { story, api } = begin(undefined, { name: 'Acme Data' });
    story.answer = (call) => {
      const { answered, ...rest } = api.answer(call);
      const result = { ...rest.result, name: api.name.toUpperCase() };
      return { ...rest, answered, result };
    };
    await story.visit();
    await story.visit(HOUR);
    return story;
  },

  'a name that the API refuses': async () => {
    const { story, api } = begin(['psc-1'], { name: 'Acme Data' });
    const no = refuse(400, 'no such name');
    story.answer = (call) => (call.body?.includes('Acme') ? no() : api.answer(call));
    await story.visit();
    return story;
  },

  'another object is proven to hold it': async () => {
    const metadata = { name: 'holder', uid: 'uid-0', creationTimestamp: '2025-12-30T00:00:00Z' };
    const time = '2025-12-31T00:00:00Z';
    const status = { proof: { time, apiHash: apiHashOf(BASE_URL) } };
    const holder = anOrganization({ ids: ['psc-1'], metadata, status });
    const { story, api } = begin(['psc-1']);
    await story.visit();
    story.startHere();
    story.meet(holder);
    api.name = 'Theirs';
    await story.visit(5 * MINUTE);
    return story;
  },

  'planned before anything is known': async () => {
    const { story } = begin(['psc-1'], { mode: 'Plan', name: 'Acme Data' });
    await story.visit();
    return story;
  },

  'planned on top of a reply': async () => {
    const { story } = begin(['psc-1', 'psc-2'], { name: 'Acme Data' });
    await story.visit();
    story.startHere();
    const described = { ...e('psc-3'), description: 'new' };
    story.declare({ mode: 'Plan', name: 'Acme', privateEndpoints: [e('psc-1'), described] });
    await story.visit(5 * MINUTE);
    return story;
  },

  'planned because the whole process only plans': async () => {
    const { story } = begin(undefined, { name: 'Acme Data' }, true);
    await story.visit();
    return story;
  },

  'deleted, with what it has added': async () => {
    const { story } = begin(['psc-1'], { deletionPolicy: 'RemovePrivateEndpoints' });
    await story.visit();
    story.startHere();
    const deletionTimestamp = '2026-01-01T00:05:00Z';
    story.edit(({ metadata }) => ({ metadata: { ...metadata, generation: 2, deletionTimestamp } }));
    await story.visit(6 * MINUTE);
    return story;
  },

  'deleted, and the key is of no use until the deadline': async () => {
    const { story } = begin(['psc-1'], { deletionPolicy: 'RemovePrivateEndpoints' });
    await story.visit();
    story.startHere();
    const deletionTimestamp = '2026-01-01T00:05:00Z';
    story.edit(({ metadata }) => ({ metadata: { ...metadata, generation: 2, deletionTimestamp } }));
    story.answer = refuse(403, 'no role');
    await story.visit(6 * MINUTE);
    await story.visit(10 * MINUTE);
    return story;
  },

  'its finalizer goes where it is wanted no more': async () => {
    const { story } = begin(['psc-1'], { deletionPolicy: 'RemovePrivateEndpoints' });
    await story.visit();
    story.declare({ deletionPolicy: 'Retain' });
    await story.visit(5 * MINUTE);
    return story;
  },

  'suspended, and a spec that cannot be read': async () => {
    const { story } = begin(['psc-1']);
    await story.visit();
    story.startHere();
    story.declare({ suspend: true });
    await story.visit(MINUTE);
    story.declare({ suspend: false, name: 5 });
    await story.visit(MINUTE);
    return story;
  },

  'not authorised when it was applied': async () => {
    const { story } = begin(['psc-1']);
    await story.visit();
    story.startHere();
    story.answer = refuse(401, 'unknown key');
    story.declare({ privateEndpoints: [e('psc-1'), e('psc-2')] });
    await story.visit(5 * MINUTE);
    return story;
  },
};
