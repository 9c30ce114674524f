import type { Timeline } from '../engine/timeline.ts';
import type { WireReply, WireRequest } from '../network/wire.ts';
import { kindAt, type ServedKind } from './kinds.ts';
import { type Change, Objects, type Thing } from './objects.ts';
import { badRequest, noSuchPath, notFound, Refusal } from './refusal.ts';
import { listKind, listVersion, type Selection, selectionOf } from './selection.ts';
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
 * A Kubernetes API server in memory, of which the operator cannot tell that it is none: lists,
 * watches, versions, preconditions, the status apart from the spec, schemas and finalizers.
 */
export class Kubernetes {
  readonly objects: Objects;
  readonly watches: Watches;
  readonly #options: KubernetesOptions;

  constructor(options: KubernetesOptions) {
    this.#options = options;
    this.objects = new Objects((change) => {
      options.onChange?.(change);
      this.watches.changed(change);
    });
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
  serve(request: WireRequest, by: string): WireReply {
    try {
      const answer = this.#answer(request, by);
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
      create: (kind, namespace, sent) =>
        writes.create(objects, kind, { namespace, sent }, writer()),
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

  #answer(request: WireRequest, by: string) {
    const { kind, namespace, name, subresource, query } = routeOf(request.path);
    const accept = request.headers.accept ?? '';
    const { objects } = this;
    if (request.method === 'GET') {
      if (name !== undefined) {
        const stored = objects.get(kind, namespace, name);
        if (!stored) throw notFound(kind, name);
        return { status: 200, body: stored };
      }
      const selection = selectionOf(kind, namespace, query, accept);
      if (query.get('watch') === 'true') return this.watches.open(by, selection, query);
      return { status: 200, body: this.#list(selection, accept) };
    }
    const sent = parse(request.body);
    const writer = this.#writer(by);
    if (request.method === 'POST')
      return { status: 201, body: writes.create(objects, kind, { namespace, sent }, writer) };
    if (name === undefined) throw noSuchPath();
    const at = { namespace, name, subresource, sent };
    switch (request.method) {
      case 'PUT':
        return { status: 200, body: writes.replace(objects, kind, at, writer) };
      case 'PATCH':
        return { status: 200, body: writes.patch(objects, kind, at, writer) };
      default:
        throw new Refusal(405, 'MethodNotAllowed', 'the server does not allow this method');
    }
  }

  #list({ kind, namespace, fits, listed }: Selection, accept: string): object {
    return {
      kind: listKind(kind, accept),
      apiVersion: listVersion(kind, accept),
      metadata: { resourceVersion: String(this.objects.revision) },
      items: this.objects.list(kind, namespace).filter(fits).map(listed),
    };
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

function parse(body: string): writes.Sent {
  try {
    const parsed: unknown = JSON.parse(body);
    if (typeof parsed === 'object' && parsed !== null) return parsed as writes.Sent;
  } catch {
    // Said below, as for any other body that is no object.
  }
  throw badRequest('the body is not a JSON object');
}
