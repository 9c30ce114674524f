import type { Timeline } from '../engine/timeline.ts';
import type { WireReply, WireRequest } from '../network/wire.ts';
import { kindAt, type ServedKind } from './kinds.ts';
import { Lists } from './lists.ts';
import { metaOf, textOf } from './metadata.ts';
import { Namespaces } from './namespaces.ts';
import { type Change, Objects, type Thing } from './objects.ts';
import { badRequest, noSuchPath, notFound, Refusal } from './refusal.ts';
import { Rights } from './rights.ts';
import { selectionOf } from './selection.ts';
import { Watches, type WatchWeather } from './watches.ts';
import * as writes from './write.ts';

export interface KubernetesOptions {
  readonly timeline: Timeline;
  /** What the server's wall clock says at the beginning of the timeline, epoch ms. */
  readonly wall: number;
  readonly newUid: (namespace: string) => string;
  readonly weather?: WatchWeather;
  readonly onChange?: (change: Change) => void;
}

const NO_WEATHER: WatchWeather = { lagMs: () => 0 };
const JSON_TYPE = { 'content-type': 'application/json' };

/**
 * A Kubernetes API server in memory, of which the operator cannot tell that it is none: lists in
 * pages, watches, versions, preconditions, the status apart from the spec, schemas, finalizers, and
 * rights by rule.
 */
export class Kubernetes {
  readonly objects: Objects;
  readonly rights = new Rights();
  readonly namespaces = new Namespaces();
  readonly lists: Lists;
  readonly watches: Watches;
  readonly #options: KubernetesOptions;

  constructor(options: KubernetesOptions) {
    this.#options = options;
    this.objects = new Objects((change) => {
      options.onChange?.(change);
      this.watches.changed(change);
    });
    this.lists = new Lists(this.objects);
    this.watches = new Watches({
      timeline: options.timeline,
      objects: this.objects,
      weather: options.weather ?? NO_WEATHER,
    });
  }

  /** Epoch ms by the server's own clock. */
  now(): number {
    return this.#options.wall + this.#options.timeline.now;
  }

  /** Answers a request of a client; `by` is what it is called in the record. */
  serve(request: WireRequest, who: { readonly user: string; readonly by: string }): WireReply {
    try {
      const answer = this.#answer(request, who);
      if (typeof answer === 'function') return { status: 200, headers: JSON_TYPE, body: answer };
      return {
        status: answer.status,
        headers: JSON_TYPE,
        body: JSON.stringify(answer.body),
        says: answer.body,
      };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return { status: error.status, headers: JSON_TYPE, body: JSON.stringify(error.body()) };
    }
  }

  /** A change made by a user at the keyboard. Throws Refusal. */
  as(by: string): Hand {
    const writer = (): writes.Writer => this.#writer(by);
    const { objects } = this;
    return {
      get: (kind, namespace, name) => objects.get(kind, namespace, name),
      create: (kind, namespace, sent) => this.#create(kind, namespace, sent, writer()),
      edit: (kind, namespace, name, change) => {
        const stored = objects.get(kind, namespace, name);
        if (!stored) throw notFound(kind, name);
        const sent = change(stored) as unknown as writes.Sent;
        return writes.replace(objects, kind, { namespace, name, sent }, writer());
      },
      delete: (kind, namespace, name) =>
        writes.remove(objects, kind, { namespace, name }, writer()),
    };
  }

  #writer(by: string): writes.Writer {
    return { by, now: this.now(), newUid: this.#options.newUid };
  }

  #create(kind: ServedKind, namespace: string, sent: writes.Sent, writer: writes.Writer): Thing {
    this.namespaces.admit(kind, namespace, textOf(metaOf(sent).name) ?? '');
    return writes.create(this.objects, kind, { namespace, sent }, writer);
  }

  #answer(request: WireRequest, who: { readonly user: string; readonly by: string }) {
    const route = routeOf(request.path);
    const { kind, namespace, name, subresource, query } = route;
    const accept = request.headers.accept ?? '';
    const { rights, objects } = this;
    const may = (verb: string): void => {
      rights.check({
        user: who.user,
        verb,
        kind,
        subresource,
        namespace,
        name: name ?? namedIn(query),
      });
    };
    const writer = this.#writer(who.by);
    switch (request.method) {
      case 'GET': {
        if (name !== undefined) {
          may('get');
          const stored = objects.get(kind, namespace, name);
          if (!stored) throw notFound(kind, name);
          return { status: 200, body: stored };
        }
        const isWatch = query.get('watch') === 'true';
        may(isWatch ? 'watch' : 'list');
        const selection = selectionOf(kind, namespace, query, accept);
        if (isWatch) return this.watches.open(who.by, selection, query);
        return { status: 200, body: this.lists.page(selection, query, accept) };
      }
      case 'POST': {
        may('create');
        const sent = parse(request.body);
        return { status: 201, body: this.#create(kind, namespace, sent, writer) };
      }
      case 'PUT': {
        if (name === undefined) throw noSuchPath();
        may('update');
        const sent = parse(request.body);
        return {
          status: 200,
          body: writes.replace(objects, kind, { namespace, name, subresource, sent }, writer),
        };
      }
      case 'PATCH': {
        if (name === undefined) throw noSuchPath();
        may('patch');
        if (request.headers['content-type'] !== 'application/merge-patch+json')
          throw unknownPatch();
        const sent = parse(request.body);
        return {
          status: 200,
          body: writes.patch(objects, kind, { namespace, name, subresource, sent }, writer),
        };
      }
      case 'DELETE': {
        if (name === undefined) throw noSuchPath();
        may('delete');
        const last = writes.remove(objects, kind, { namespace, name }, writer);
        return { status: 200, body: objects.get(kind, namespace, name) ?? done(kind, last) };
      }
      default:
        throw new Refusal(
          405,
          'MethodNotAllowed',
          'the server does not allow this method on the requested resource',
        );
    }
  }
}

/** What a user can do to objects, past the network. */
export interface Hand {
  get(kind: ServedKind, namespace: string, name: string): Thing | undefined;
  create(kind: ServedKind, namespace: string, sent: writes.Sent): Thing;
  /** The whole object as it shall be; its status stays as it is. */
  edit(kind: ServedKind, namespace: string, name: string, change: (stored: Thing) => Thing): Thing;
  delete(kind: ServedKind, namespace: string, name: string): Thing;
}

interface Route {
  readonly kind: ServedKind;
  readonly namespace: string;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
  readonly query: URLSearchParams;
}

const PATH =
  /^(\/api\/v1\/|\/apis\/[^/]+\/[^/]+\/)(?:namespaces\/([^/]+)\/)?([^/]+)(?:\/([^/]+)(?:\/([^/]+))?)?$/;

function routeOf(path: string): Route {
  const [before = '', search = ''] = path.split('?');
  const [, root = '', namespace = '', plural = '', name, subresource] = PATH.exec(before) ?? [];
  const kind = kindAt(root, plural);
  if (!kind || (name !== undefined && namespace === '')) throw noSuchPath();
  if (subresource !== undefined && (subresource !== 'status' || !kind.schema)) throw noSuchPath();
  return {
    kind,
    namespace: decodeURIComponent(namespace),
    name: name === undefined ? undefined : decodeURIComponent(name),
    subresource,
    query: new URLSearchParams(search),
  };
}

/** What the deletion of an object gives that nothing holds. */
function done({ group, plural }: ServedKind, { metadata: { name, uid } }: Thing): object {
  const details = { name, ...(group !== '' && { group }), kind: plural, uid };
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details };
}

function unknownPatch(): Refusal {
  const message = 'the body of the request was in an unknown format';
  return new Refusal(415, 'UnsupportedMediaType', message);
}

/** A list or watch of one object by its name is judged as if it named the object. */
function namedIn(query: URLSearchParams): string | undefined {
  return /^metadata\.name=([^,]+)$/.exec(query.get('fieldSelector') ?? '')?.[1];
}

function parse(body: string): writes.Sent {
  try {
    const parsed: unknown = JSON.parse(body);
    if (typeof parsed === 'object' && parsed !== null) return parsed as writes.Sent;
  } catch {
    // Said below, as for any other body that is no object.
  }
  throw badRequest('the body is not a JSON object');
}
