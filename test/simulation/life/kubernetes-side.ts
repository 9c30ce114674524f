import { isDeepStrictEqual } from 'node:util';
import type { Thing } from '../kubernetes/objects.ts';
import type { Crossing, Fate, Server, WireReply } from '../network/wire.ts';
import { keyOf } from '../record/facts.ts';
import type { Known } from '../record/knowledge.ts';
import { Asked } from './asked.ts';
import { isListBody, isThing, type ListBody } from './kube-bodies.ts';
import { inCollection, isWatch, nameOf, PLURALS, ROOT } from './kube-paths.ts';
import type { Life } from './life.ts';
import { OPERATOR } from './rights.ts';

/**
 * So long a list that is older than what was seen may come from a server that is behind, and counts
 * for nothing; then the server went back.
 */
const DOUBTED_MS = 60_000;

/**
 * What a process has been told of one collection, and since when it is told of an older state of
 * it.
 */
interface Told {
  version: number;
  /**
   * The newest version of anything in it that the process had been shown, by whatever reply, when
   * it last asked for its list.
   */
  shown: number;
  olderSince: number | undefined;
  /**
   * It takes the server for one that went back from this version: its next list, if that is older,
   * is right in everything.
   */
  backFrom: number;
  /** How many restores there had been when it was last asked for. */
  restores: number;
  /**
   * Versions that were given twice: its watch went on from above them, because when it asked again
   * they were as high as before.
   */
  missedUpTo: number;
}

/**
 * The API server, as the operator's processes reach it; keeps the record of what each of them has
 * seen.
 */
export class KubernetesSide implements Server {
  readonly #life: Life;
  /** Lists whose pages are still coming. */
  readonly #pages = new Map<string, Thing[]>();
  /** By process and collection. */
  readonly #told = new Map<string, Told>();
  /**
   * By process and name: the uid of the object whose status was refused there last, or had no
   * answer. What is read after that is about this one.
   */
  readonly #refused = new Map<string, string>();
  /**
   * By process: when it last took the server for one that went back. What it knew from before that
   * says nothing of the versions after it.
   */
  readonly #wentBackAt = new Map<string, number>();
  /** By process and collection: when it was last listed whole. */
  readonly #listedAt = new Map<string, number>();
  readonly #asked: Asked;
  /**
   * What the sender of the request that is carried out just now held of its object when it asked.
   */
  heldBySender: Thing | undefined;
  /**
   * Requests without an answer, and watches that are not open yet: of which process, and when they
   * left.
   */
  readonly #openCalls = new Map<
    number,
    { readonly host: string; readonly path: string; readonly leftAt: number }
  >();

  constructor(life: Life) {
    this.#life = life;
    this.#asked = new Asked(() => life.timeline.now);
  }

  connectMs(): number | undefined {
    return this.#life.weather.kubeIsDown ? undefined : 2;
  }

  fate(crossing: Crossing): Fate {
    return this.#life.weather.kubeFate(crossing);
  }

  asks(crossing: Crossing): void {
    const { host, request } = crossing;
    const { method, path } = request;
    if (method !== 'GET') this.#refused.delete(`${host} ${nameOf(path)}`);
    this.#asked.asks(crossing, this.#held(host, nameOf(path)));
  }

  left({ id, host, request }: Crossing): void {
    const { path } = request;
    this.#openCalls.set(id, { host, path, leftAt: this.#life.timeline.now });
    if (isWatch(path)) return;
    const [route = '', query = ''] = path.split('?');
    const told = this.#told.get(`${host} ${route}`);
    if (told && !query.includes('continue=')) told.shown = this.#newestIn(host, route);
  }

  /** Whether a process has waited since then for an answer to such a request. */
  isWaiting(
    host: string,
    since: number,
    isIt: (path: string) => boolean = (path) => !isWatch(path),
  ): boolean {
    return [...this.#openCalls.values()].some(
      (one) => one.host === host && one.leftAt <= since && isIt(one.path),
    );
  }

  serve(crossing: Crossing): WireReply {
    const { adversary, kube, weather } = this.#life;
    adversary.hop('arrives', crossing);
    const refusal = weather.kubeRefusal(crossing);
    if (refusal) return refusal;
    this.heldBySender = this.#asked.heldFor(crossing);
    const reply = kube.serve(crossing.request, { user: OPERATOR, by: crossing.host });
    this.heldBySender = undefined;
    const lateMs = adversary.hop('done', crossing);
    return { ...reply, lateMs };
  }

  answered(crossing: Crossing, { status, says }: WireReply): void {
    const { id, host, request } = crossing;
    const { method, path, body } = request;
    const tookMs =
      this.#life.timeline.now - (this.#openCalls.get(id)?.leftAt ?? this.#life.timeline.now);
    this.#openCalls.delete(id);
    if (!isWatch(path))
      this.#tell({ what: 'asked', process: host, ask: { method, path, status, body, tookMs } });
    if (method === 'GET' && status === 404) this.#missed(crossing);
    if (method === 'PUT' && status >= 400) this.#notWritten(crossing);
    if (method === 'PATCH' && status >= 400) this.#asked.inVain(crossing);
    if (says === undefined || status >= 300 || isWatch(path)) return;
    const [route = '', query = ''] = path.split('?');
    // Whoever asks for one object of a list asks which version the list has, or whether he may read
    // it.
    if (query.split('&').includes('limit=1') && !query.includes('fieldSelector')) {
      if (isListBody(says))
        this.#askedFor(`${host} ${route}`, Number(says.metadata.resourceVersion));
      return;
    }
    if (method === 'GET' && isListBody(says)) this.#list(host, route, query, says);
    else if (isThing(says) && !this.#isAnother(host, path, says)) this.#replied(crossing, says);
  }

  streamed({ host, request }: Crossing, says: unknown): void {
    const { type, object } = says as { readonly type: string; readonly object: Thing };
    const [route = ''] = request.path.split('?');
    const told = this.#told.get(`${host} ${route}`);
    if (told && type !== 'ERROR')
      told.version = Math.max(told.version, Number(object.metadata.resourceVersion));
    if (type === 'ADDED' || type === 'MODIFIED') this.#saw(host, object);
    if (type === 'DELETED') this.#gone(host, object);
  }

  unanswered(crossing: Crossing, failure: string): void {
    this.#openCalls.delete(crossing.id);
    if (crossing.request.method === 'GET') this.#asked.inVain(crossing);
    this.unreached(crossing, failure);
  }

  unreached({ host, request }: Crossing, failure: string): void {
    const { method, path, body } = request;
    if (isWatch(path)) return;
    this.#tell({
      what: 'asked',
      process: host,
      ask: { method, path, status: undefined, body, failure },
    });
    if (method === 'PUT') this.#notWritten({ host, request });
  }

  #notWritten({ host, request: { path, body } }: Pick<Crossing, 'host' | 'request'>): void {
    this.#refused.set(`${host} ${nameOf(path)}`, (JSON.parse(body) as Thing).metadata.uid);
  }

  /** A list counts when its last page is there: what is not in it is gone. */
  #list(host: string, route: string, query: string, { metadata, items }: ListBody): void {
    const pages = `${host} ${route}`;
    const objects = [
      ...(query.includes('continue=') ? (this.#pages.get(pages) ?? []) : []),
      ...items,
    ];
    if (metadata.continue) {
      this.#pages.set(pages, objects);
      return;
    }
    this.#pages.delete(pages);
    const isWhole = !query.includes('fieldSelector');
    if (isWhole && this.#isDoubted(pages, Number(metadata.resourceVersion))) return;
    const wentBack = isWhole && this.#goesBack(pages, Number(metadata.resourceVersion));
    for (const object of objects) this.#saw(host, object, wentBack);
    if (!isWhole) return;
    const isIn = inCollection(route);
    const plural = route.slice(route.lastIndexOf('/') + 1);
    const listed = new Set(objects.map((object) => keyOf(plural, object)));
    const { knowledge } = this.#life;
    // A list from the past says nothing of what came after it.
    const isOld = ({ last }: Known): boolean =>
      !wentBack && Number(last.metadata.resourceVersion) > Number(metadata.resourceVersion);
    const known = [...knowledge.of(host)].flatMap(([key, one]) => (isOld(one) ? [] : [key]));
    for (const key of [...known, ...knowledge.forgottenBy(host).keys()]) {
      if (!isIn(key) || listed.has(key)) continue;
      this.#tell({ what: 'seen', process: host, key, thing: undefined });
    }
  }

  /**
   * Whether this version of an object is one that a process cannot have heard of: no client can
   * tell that versions were given twice.
   */
  isMissedBy(host: string, plural: string, thing: Thing): boolean {
    const { namespace, resourceVersion } = thing.metadata;
    const heard = this.#held(host, keyOf(plural, thing));
    // Not its numbers: those of the generation can have been given twice too.
    if (isDeepStrictEqual(heard, thing)) return false;
    return Number(resourceVersion) <= this.#missedUpTo(host, plural, namespace);
  }

  /** What a process holds still, and whose end it cannot have heard of for the same reason. */
  heldBy(host: string, plural: string): Thing[] {
    const held = [...this.#life.knowledge.forgottenBy(host).values()].filter(
      ({ kind }) => PLURALS[kind] === plural,
    );
    return held.filter(({ metadata: { namespace, name, uid } }) => {
      const isThere = this.#life.stored(plural, namespace, name)?.metadata.uid === uid;
      return !isThere && this.#missedUpTo(host, plural, namespace) > 0;
    });
  }

  #missedUpTo(host: string, plural: string, namespace: string): number {
    const collections = [plural, `namespaces/${namespace}/${plural}`].map(
      (path) => `${host} ${ROOT}${path}`,
    );
    return Math.max(
      ...collections.map((collection) => this.#told.get(collection)?.missedUpTo ?? 0),
    );
  }

  /** Before a watch goes on. */
  #askedFor(collection: string, version: number): void {
    const before = this.#told.get(collection);
    if (this.#isDoubted(collection, version) || !before || before.olderSince !== undefined) return;
    const isSince = before.restores < this.#life.restores.length && version >= before.version;
    const missedUpTo = isSince ? before.version : before.missedUpTo;
    this.#told.set(collection, { ...this.#toldNow(version), missedUpTo });
  }

  #isDoubted(collection: string, version: number): boolean {
    const told = this.#told.get(collection);
    const newest = Math.max(told?.version ?? 0, told?.shown ?? 0);
    if (told && version < newest) {
      const { now } = this.#life.timeline;
      told.olderSince ??= now;
      if (now - told.olderSince < DOUBTED_MS) return true;
      this.#wentBackAt.set(collection.split(' ')[0] ?? '', now);
    }
    const backFrom = Math.max(told?.backFrom ?? 0, newest);
    this.#told.set(collection, { ...this.#toldNow(version), backFrom });
    return false;
  }

  /**
   * Whether a list that counts is right in everything: it is older than what was seen before, or
   * another collection has shown since the last one that the server went back, or is behind for so
   * long.
   */
  #goesBack(collection: string, version: number): boolean {
    const told = this.#told.get(collection);
    const wentBackAt = this.#wentBackAt.get(collection.split(' ')[0] ?? '') ?? 0;
    const wentBack =
      version < (told?.backFrom ?? 0) ||
      wentBackAt > (this.#listedAt.get(collection) ?? wentBackAt);
    this.#listedAt.set(collection, this.#life.timeline.now);
    if (told) told.backFrom = 0;
    return wentBack;
  }

  #toldNow(version: number): Told {
    const restores = this.#life.restores.length;
    return { version, shown: 0, olderSince: undefined, restores, backFrom: 0, missedUpTo: 0 };
  }

  #newestIn(host: string, route: string): number {
    const { knowledge, restores } = this.#life;
    const isIn = inCollection(route);
    const since = this.#wentBackAt.get(host) ?? 0;
    const known = [...knowledge.of(host)].flatMap(([key, { thing, at }]) =>
      thing && at >= since && isIn(key) ? [thing] : [],
    );
    const forgotten = [...knowledge.forgottenBy(host)].flatMap(([key, thing]) =>
      isIn(key) ? [thing] : [],
    );
    const isForgotten = since > (restores.at(-1) ?? 0);
    const shown = isForgotten ? known : [...known, ...forgotten];
    return Math.max(0, ...shown.map(({ metadata }) => Number(metadata.resourceVersion)));
  }

  #saw(host: string, thing: Thing, wentBack = false): void {
    const plural = PLURALS[thing.kind];
    if (plural !== undefined)
      this.#tell({ what: 'seen', process: host, key: keyOf(plural, thing), thing, wentBack });
  }

  /**
   * Under the name of one that the process knows stands another, of which only the watch tells
   * whether it is the operator's affair.
   */
  #isAnother(host: string, path: string, { metadata }: Thing): boolean {
    const known = this.#known(host, path);
    return known !== undefined && known.metadata.uid !== metadata.uid;
  }

  /**
   * What a reply shows is the last word over all that was held when it was asked for, however high
   * the version of that. Where a newer one, or its end, has come since, nobody can tell that the
   * server has gone back.
   */
  #replied(crossing: Crossing, thing: Thing): void {
    const { host, request } = crossing;
    const held = this.#held(host, nameOf(request.path));
    const isLastWord = isDeepStrictEqual(held, this.#asked.heldFor(crossing));
    if (isLastWord || (held && !isNewer(held.metadata, thing.metadata)))
      this.#saw(host, thing, isLastWord);
  }

  /**
   * An object that is asked for by its name and is not there. One that was made under that name
   * meanwhile may be there.
   */
  #missed({ host, request }: Crossing): void {
    const known = this.#known(host, request.path);
    const asked = this.#refused.get(`${host} ${nameOf(request.path)}`) ?? known?.metadata.uid;
    if (!known || known.metadata.uid !== asked) return;
    this.#tell({ what: 'seen', process: host, key: nameOf(request.path), thing: undefined });
  }

  #known(host: string, path: string): Thing | undefined {
    const { knowledge } = this.#life;
    return (
      knowledge.of(host).get(nameOf(path))?.last ?? knowledge.forgottenBy(host).get(nameOf(path))
    );
  }

  #held(host: string, key: string): Thing | undefined {
    const { knowledge } = this.#life;
    return knowledge.of(host).get(key)?.thing ?? knowledge.forgottenBy(host).get(key);
  }

  /** The late word of the end of one takes nothing from another that has its name by now. */
  #gone(host: string, thing: Thing): void {
    const plural = PLURALS[thing.kind];
    if (plural === undefined) return;
    const key = keyOf(plural, thing);
    const known = this.#life.knowledge.of(host).get(key)?.thing?.metadata;
    const isLate = known && known.uid !== thing.metadata.uid && isNewer(known, thing.metadata);
    if (!isLate) this.#tell({ what: 'seen', process: host, key, thing: undefined });
  }

  #tell(fact: Parameters<Life['tell']>[0]): void {
    this.#life.tell(fact);
  }
}

function isNewer(one: Thing['metadata'], other: Thing['metadata']): boolean {
  return Number(one.resourceVersion) > Number(other.resourceVersion);
}
