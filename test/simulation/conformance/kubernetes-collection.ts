import { acceptMetadata } from '../../../src/kube/cache/list.ts';
import {
  apiVersionOf,
  collectionPath,
  objectPath,
  type ResourceType,
} from '../../../src/kube/resource.ts';
import type {
  Answer,
  Ask,
  KubernetesUnderTest,
  Open,
  OpenWatch,
  Told,
  WatchLine,
} from './kubernetes-under-test.ts';

type Query = Readonly<Record<string, string>>;

/** The objects of one kind in one namespace; without a namespace, in all. */
export class Collection {
  readonly under: KubernetesUnderTest;
  readonly type: ResourceType;
  readonly namespace: string | undefined;
  readonly #as: string | undefined;

  constructor(
    under: KubernetesUnderTest,
    type: ResourceType,
    namespace: string | undefined,
    as?: string,
  ) {
    this.under = under;
    this.type = type;
    this.namespace = namespace;
    this.#as = as;
  }

  /** The same as another user sees it. */
  as(user: string): Collection {
    return new Collection(this.under, this.type, this.namespace, user);
  }

  /** The objects of another kind beside them. */
  beside(type: ResourceType): Collection {
    return new Collection(this.under, type, this.namespace, this.#as);
  }

  /** The objects of the same kind in another namespace. */
  in(namespace: string): Collection {
    return new Collection(this.under, this.type, namespace, this.#as);
  }

  everywhere(): Collection {
    return new Collection(this.under, this.type, undefined, this.#as);
  }

  create(name: string, content: object = {}, metadata: object = {}): Promise<Answer> {
    return this.post({ ...this.#typeMeta(), metadata: { name, ...metadata }, ...content });
  }

  post(body: unknown): Promise<Answer> {
    return this.#send({ method: 'POST', path: collectionPath(this.type, this.namespace), body });
  }

  get(name: string): Promise<Answer> {
    return this.#send({ method: 'GET', path: this.#path(name) });
  }

  /** Replaces the object that `body` names, or its status. */
  put(body: Told, subresource?: 'status'): Promise<Answer> {
    return this.#send({ method: 'PUT', path: this.#path(body.metadata.name, subresource), body });
  }

  patch(name: string, body: unknown, subresource?: 'status'): Promise<Answer> {
    return this.#send({ method: 'PATCH', path: this.#path(name, subresource), body });
  }

  delete(name: string): Promise<Answer> {
    return this.#send({ method: 'DELETE', path: this.#path(name) });
  }

  list(query: Query = {}): Promise<Answer> {
    return this.#send({ method: 'GET', path: collectionPath(this.type, this.namespace), query });
  }

  listMetadata(query: Query = {}): Promise<Answer> {
    const accept = acceptMetadata('PartialObjectMetadataList');
    return this.#send({
      method: 'GET',
      path: collectionPath(this.type, this.namespace),
      query,
      accept,
    });
  }

  watch(from: string, query: Query = {}): Promise<OpenWatch> {
    return this.under.watch(this.#watchOf(from, query));
  }

  watchMetadata(from: string, query: Query = {}): Promise<OpenWatch> {
    return this.under.watch({
      ...this.#watchOf(from, query),
      accept: acceptMetadata('PartialObjectMetadata'),
    });
  }

  /** What the server says to who wants to watch. */
  askToWatch(from: string, query: Query = {}): Promise<Answer> {
    return this.under.send({ method: 'GET', ...this.#watchOf(from, query) });
  }

  /** The version of the whole now. */
  async version(): Promise<string> {
    return versionOf(done(await this.list({ limit: '1' })));
  }

  #watchOf(from: string, query: Query): Omit<Ask, 'method'> {
    return {
      path: collectionPath(this.type, this.namespace),
      query: { ...query, watch: 'true', resourceVersion: from },
      ...this.#by(),
    };
  }

  #send(ask: Ask): Promise<Answer> {
    return this.under.send({ ...ask, ...this.#by() });
  }

  #by(): { readonly as?: string } {
    return this.#as === undefined ? {} : { as: this.#as };
  }

  #path(name = '', subresource?: string): string {
    return objectPath(this.type, this.namespace ?? '', name, subresource);
  }

  #typeMeta() {
    return { apiVersion: apiVersionOf(this.type), kind: this.type.kind };
  }
}

/** The objects of a kind in a namespace of the test's own. */
export async function collectionOf(open: Open, type: ResourceType): Promise<Collection> {
  const under = open();
  return new Collection(under, type, await under.newNamespace());
}

/** What was told, where the server did what it was asked; throws with what it said instead. */
export function done({ status, body }: Answer): Told {
  if (status >= 300) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body;
}

export function versionOf({ metadata }: Told): string {
  return metadata.resourceVersion ?? '';
}

/** What a line says of which object. */
export function briefly({ type, object }: WatchLine) {
  return { type, name: object.metadata.name, version: versionOf(object) };
}
