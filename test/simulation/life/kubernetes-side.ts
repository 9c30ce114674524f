import type { Thing } from '../kubernetes/objects.ts';
import { Refusal } from '../kubernetes/refusal.ts';
import type { Crossing, Fate, Server, WireReply } from '../network/wire.ts';
import type { Life } from './life.ts';
import type { Mishap } from './world.ts';

/** The API server, as the operator's processes reach it; keeps the record of what it showed them. */
export class KubernetesSide implements Server {
  readonly #life: Life;
  readonly #open = new Map<number, { readonly leftAt: number; readonly mishap?: Mishap }>();

  constructor(life: Life) {
    this.#life = life;
  }

  connectMs(): number | undefined {
    return this.#life.weather.kubeIsDown ? undefined : 2;
  }

  fate(crossing: Crossing): Fate {
    const { host, request, id } = crossing;
    const { weather, timeline } = this.#life;
    const [path = ''] = request.path.split('?');
    const name = this.#life.number(nameOf(request.method, path));
    const plain = this.#life.plainFate(name, 'kube');
    const isLease = path.includes('/leases');
    const fate =
      weather.kubeSlowMs > 0 && !isLease ? { ...plain, thereMs: weather.kubeSlowMs } : plain;
    const mishap =
      isLease || isCollection(request.method, path)
        ? undefined
        : this.#life.befall({ name, isCall: false, process: host, about: subjectOf(path) });
    this.#open.set(id, { leftAt: timeline.now, ...(mishap && { mishap }) });
    if (mishap?.acts && mishap.acts.when !== 'done') mishap.acts.run(this.#life);
    return { ...fate, ...mishap?.fate };
  }

  serve(crossing: Crossing): WireReply {
    const { kube, weather } = this.#life;
    const mishap = this.#open.get(crossing.id)?.mishap;
    const status = mishap?.refusal ?? weather.kubeAnswers;
    if (status !== undefined) return refusal(status);
    const reply = kube.serve(crossing.request, crossing.host);
    if (mishap?.acts?.when === 'done') mishap.acts.run(this.#life);
    return reply;
  }

  answered(crossing: Crossing, { status, says }: WireReply): void {
    if (isWatch(crossing)) return;
    this.#asked(crossing, status);
    if (status >= 300) return;
    const { knowledge } = this.#life;
    const { host, request } = crossing;
    for (const thing of thingsIn(says)) knowledge.saw(host, thing);
    if (!isList(says)) return;
    knowledge.listed(host, request.path, says.metadata.resourceVersion, says.items);
  }

  streamed({ host }: Crossing, says: unknown): void {
    const { type, object } = says as { readonly type: string; readonly object: Thing };
    if (type === 'ADDED' || type === 'MODIFIED') this.#life.knowledge.saw(host, object);
    if (type === 'DELETED') this.#life.knowledge.gone(host, object);
  }

  unanswered(crossing: Crossing): void {
    if (!isWatch(crossing)) this.#asked(crossing, undefined);
  }

  #asked({ id, host, request }: Crossing, status: number | undefined): void {
    const { method, path, body } = request;
    const leftAt = this.#open.get(id)?.leftAt ?? this.#life.timeline.now;
    this.#open.delete(id);
    const ask = { method, path, leftAt, status, body };
    this.#life.tell({ what: 'asked', process: host, ask });
  }
}

function refusal(status: number): WireReply {
  const reason = status === 409 ? 'Conflict' : 'InternalError';
  const body = new Refusal(status, reason, 'the server has trouble of its own').body();
  const later = status === 429 ? { 'retry-after': '1' } : {};
  const headers = { 'content-type': 'application/json', ...later };
  return { status, headers, body: JSON.stringify(body) };
}

function isWatch({ request }: Crossing): boolean {
  return request.path.includes('watch=true');
}

/** A list or watch, or an event that is made. */
function isCollection(method: string, path: string): boolean {
  return method === 'POST' || subjectOf(path) === '';
}

/** `organizations/team-a/o1`; '' for a collection. */
function subjectOf(path: string): string {
  const [, namespace, plural, name] =
    /\/namespaces\/([^/]+)\/([^/]+)\/([^/]+?)(?:\/status)?$/.exec(path) ?? [];
  return name === undefined ? '' : `${plural}/${namespace}/${name}`;
}

function nameOf(method: string, path: string): string {
  const subject = subjectOf(path);
  return `${method} ${path.endsWith('/status') ? 'status of ' : ''}${subject === '' ? path : subject}`;
}

interface List {
  readonly metadata: { readonly resourceVersion: string };
  readonly items: readonly Thing[];
}

/** A life has few objects: a page is the whole of it. */
function isList(says: unknown): says is List {
  return typeof says === 'object' && says !== null && 'items' in says;
}

function thingsIn(says: unknown): readonly Thing[] {
  if (typeof says !== 'object' || says === null) return [];
  if (isList(says)) return says.items;
  return 'metadata' in says ? [says as Thing] : [];
}
