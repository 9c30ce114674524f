import type { Timeline } from '../engine/timeline.ts';
import type { WireReply, WireRequest, WireStream } from '../network/wire.ts';
import { apiVersionOf, kindOf, type ServedKind } from './kinds.ts';
import { type Change, Objects, type Thing } from './objects.ts';
import { notFound, Refusal } from './refusal.ts';
import { type Collection, Watches } from './watches.ts';
import * as writes from './write.ts';

interface KubernetesOptions {
  readonly timeline: Timeline;
  /** What the server's wall clock says at the beginning of the timeline, epoch ms. */
  readonly wall: number;
  readonly newUid: () => string;
  readonly onChange: (change: Change) => void;
}

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
      options.onChange(change);
      this.watches.changed(change);
    });
    this.watches = new Watches(options.timeline, this.objects);
  }

  /** Answers a request of a client; `by` is what it is called in the record. */
  serve(request: WireRequest, by: string): WireReply {
    try {
      const says = this.#answer(request, by);
      if (typeof says === 'function')
        return { status: 200, headers: JSON_TYPE, body: says as WireStream };
      const status = request.method === 'POST' ? 201 : 200;
      return { status, headers: JSON_TYPE, body: JSON.stringify(says), says };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return { status: error.status, headers: JSON_TYPE, body: JSON.stringify(error.body()) };
    }
  }

  /** A change made by a user at the keyboard. Throws Refusal. */
  as(by: string): Hand {
    const { objects } = this;
    return {
      create: (kind, namespace, sent) =>
        writes.create(objects, kind, { namespace, sent }, this.#writer(by)),
      edit: (kind, namespace, name, change) => {
        const sent = change(this.#stored(kind, namespace, name)) as unknown as writes.Sent;
        return writes.replace(objects, kind, { namespace, name, sent }, this.#writer(by));
      },
      delete: (kind, namespace, name) =>
        writes.remove(objects, kind, { namespace, name }, this.#writer(by)),
    };
  }

  #writer(by: string): writes.Writer {
    const { wall, timeline, newUid } = this.#options;
    return { by, now: wall + timeline.now, newUid };
  }

  #answer({ method, path, body }: WireRequest, by: string) {
    const { kind, namespace, name, subresource, query } = routeOf(path);
    const { objects } = this;
    if (method === 'GET' && name !== undefined) return this.#stored(kind, namespace, name);
    if (method === 'GET') {
      const all = { kind, namespace };
      return query.get('watch') === 'true' ? this.watches.open(by, all, query) : this.#list(all);
    }
    const [sent, writer] = [JSON.parse(body) as writes.Sent, this.#writer(by)];
    if (method === 'POST') return writes.create(objects, kind, { namespace, sent }, writer);
    const at = { namespace, name: name ?? '', subresource, sent };
    if (method === 'PUT') return writes.replace(objects, kind, at, writer);
    if (method === 'PATCH') return writes.patch(objects, kind, at, writer);
    if (method === 'DELETE') {
      const { preconditions = {} } = sent as { preconditions?: Partial<Thing['metadata']> };
      const left = writes.remove(objects, kind, { ...at, preconditions }, writer);
      const isThere = objects.get(kind, namespace, at.name);
      return isThere ? left : { kind: 'Status', apiVersion: 'v1', status: 'Success' };
    }
    throw new Refusal(405, 'MethodNotAllowed', 'the server does not allow this method');
  }

  #stored(kind: ServedKind, namespace: string, name: string): Thing {
    const stored = this.objects.get(kind, namespace, name);
    if (!stored) throw notFound(kind, name);
    return stored;
  }

  #list({ kind, namespace }: Collection): object {
    return {
      kind: `${kind.kind}List`,
      apiVersion: apiVersionOf(kind),
      metadata: { resourceVersion: String(this.objects.revision) },
      items: this.objects.list(kind, namespace),
    };
  }
}

/** What a user can do to objects, past the network. */
interface Hand {
  create(kind: ServedKind, namespace: string, sent: writes.Sent): Thing;
  /** The whole object as it shall be; its status stays as it is. */
  edit(kind: ServedKind, namespace: string, name: string, change: (stored: Thing) => Thing): Thing;
  delete(kind: ServedKind, namespace: string, name: string): Thing;
}

const PATH =
  /^\/apis?\/(?:[^/]+\/)?v[^/]+\/(?:namespaces\/([^/]+)\/)?([^/]+)(?:\/([^/]+)(?:\/(status))?)?$/;

function routeOf(path: string) {
  const [before = '', search = ''] = path.split('?');
  const [, namespace = '', plural = '', name, subresource] = PATH.exec(before) ?? [];
  return { kind: kindOf(plural), namespace, name, subresource, query: new URLSearchParams(search) };
}
