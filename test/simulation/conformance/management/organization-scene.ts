import { ORGANIZATION, ORGANIZATION_PATH } from '../../../simulator/caller.ts';
import type {
  ORGANIZATION_CHOICES,
  Organization,
  OrganizationBehaviour,
  PrivateEndpoint,
} from '../../../simulator/organization-types.ts';
import type { Laws } from './laws.ts';
import type { Answer, Key, ManagementUnderTest, Open } from './under-test.ts';

type Choices = typeof ORGANIZATION_CHOICES;

/** One law for every choice of some switches, which is on from the start of its scene. */
export type ChoiceLaws<Switch extends keyof Choices> = {
  readonly [S in Switch]: Laws<Choices[S][number], OrganizationScene>;
};

/** How a call behaves, and under which key. */
interface How {
  readonly once?: Partial<OrganizationBehaviour>;
  readonly key?: Key;
}

/** The organization `Acme`, which has the endpoints `a` ("first") and `b` (no description). */
export class OrganizationScene {
  readonly api: ManagementUnderTest;

  constructor(api: ManagementUnderTest) {
    this.api = api;
  }

  patch(body: unknown, { once, key }: How = {}): Promise<Answer> {
    return this.api.send({
      method: 'PATCH',
      path: ORGANIZATION_PATH,
      body,
      ...(once && { once: { organization: once } }),
      ...(key && { key }),
    });
  }

  add(...add: PrivateEndpoint[]): Promise<Answer> {
    return this.patch({ privateEndpoints: { add } });
  }

  remove(...remove: PrivateEndpoint[]): Promise<Answer> {
    return this.patch({ privateEndpoints: { remove } });
  }

  /** A call that changes nothing. */
  look(): Promise<Answer> {
    return this.patch({ privateEndpoints: { add: [], remove: [] } });
  }

  play(organization: Partial<OrganizationBehaviour>): void {
    this.api.play({ organization });
  }

  stored(): Organization | undefined {
    return this.api.organization(ORGANIZATION);
  }

  /** The ids that are stored, in their order. */
  ids(): string[] {
    return (this.stored()?.privateEndpoints ?? []).map(({ id }) => id);
  }

  /** What is stored under an id, in the order of the list. */
  descriptions(id: string): (string | undefined)[] {
    const found = (this.stored()?.privateEndpoints ?? []).filter((endpoint) => endpoint.id === id);
    return found.map(({ description }) => description);
  }
}

export async function organizationScene(
  open: Open,
  organization: Partial<OrganizationBehaviour> = {},
): Promise<OrganizationScene> {
  const scene = new OrganizationScene(await open());
  const add = [endpoint('a', { description: 'first' }), endpoint('b')];
  scene.api.setOrganization(ORGANIZATION, { name: 'Acme', add });
  scene.play(organization);
  return scene;
}

export function endpoint(id: string, more: Partial<PrivateEndpoint> = {}): PrivateEndpoint {
  return { id, cloudProvider: 'gcp', region: 'ap-northeast-1', ...more };
}

/** What an answer shows as the list, whatever that is. */
export function shown({ body }: Answer): unknown {
  return body.result?.privateEndpoints;
}

/** The ids of that list; none where it is no list. */
export function shownIds(answer: Answer): string[] {
  const list = shown(answer);
  return Array.isArray(list) ? (list as { id: string }[]).map(({ id }) => id) : [];
}
