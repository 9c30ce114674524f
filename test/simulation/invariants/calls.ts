import { isDeepStrictEqual } from 'node:util';
import type { Thing } from '../kubernetes/objects.ts';
import { type ApiCall, type Fact, keyOf } from '../record/facts.ts';
import {
  type EndpointView,
  isOwedATry,
  readyOf,
  sameEndpoint,
  specOf,
  statusOf,
  targetOfSpec,
} from '../record/objects.ts';
import type { Candidate, Court, Judge } from './court.ts';

/** By then whatever was on its way for an object that is gone has left, or never will. */
const GHOST_MS = 5 * 60_000;

/**
 * So long after it was found to be behind, a server that has caught up may be taken for one that
 * went back.
 */
const DOUBTED_MS = 60_000;

/** What a PATCH of an organization asks for. */
export interface PatchView {
  readonly name?: string;
  readonly privateEndpoints?: {
    readonly add?: readonly EndpointView[];
    readonly remove?: readonly EndpointView[];
  };
}

/** Why an object cannot have made a call; the later in the list, the likelier it was this one. */
const OBJECTIONS = [
  'again',
  'ghost',
  'gone',
  'deleted',
  'suspended',
  'planned',
  'old-spec',
  'undeclared',
  'over-cap',
] as const;
type Objection = (typeof OBJECTIONS)[number];

const SAYS: Readonly<{ [O in Objection]: string }> = {
  ghost: 'although the process had been told minutes before that the object is gone',
  gone: 'although the process had been told that the object is gone',
  deleted: 'although the process had been told that the object is being deleted',
  suspended: 'although the process had been told that the object is suspended',
  planned: 'although the process had been told that the object only plans',
  'old-spec': 'with another spec than the newest that the process had been told of',
  undeclared: 'with something that the object does not declare',
  'over-cap': 'with more removals than spec.maxPrivateEndpointRemovals allows',
  again:
    'although its status says that this very generation is confirmed, and nothing asks for another call',
};

/** No call leaves but for an object that wants it now, with what it declares now. */
export class CallJudge implements Judge {
  readonly #court: Court;
  /** By process and target: its last call had no answer, and is made once more. */
  readonly #unknown = new Set<string>();
  /**
   * By process and target: request ids of the last change, if it was answered, and of all that was
   * answered since.
   */
  readonly #answered = new Map<string, string[]>();
  /** Request ids that a status has told of, as far as whoever wrote it knows. */
  readonly #told = new Set<string>();
  /** By process and object: the version that it was told of last, whatever it knew before. */
  readonly #heard = new Map<string, Thing>();
  /**
   * By process and target, and by uid: when the API last took something of an object, or may have,
   * as the process was ever told.
   */
  readonly #taken = new Map<string, Map<string, number>>();
  /**
   * By the same: when it last called, whatever came of it. A refusal may hide a lost answer before
   * it.
   */
  readonly #tried = new Map<string, Map<string, number>>();

  constructor(court: Court) {
    this.#court = court;
  }

  see(fact: Fact): void {
    if (fact.what === 'seen' && fact.thing) this.#hear(fact.process, fact.key, fact.thing);
    if (fact.what === 'unanswered') this.#lose(fact.call);
    if (fact.what === 'answered') this.#answer(fact.call);
    if (fact.what === 'asked' && fact.ask.status === 200 && fact.ask.path.endsWith('/status'))
      this.#tell(fact.ask.body);
    if (fact.what !== 'leaves') return;
    this.#judge(fact.call);
    this.#judgeShape(fact.call);
  }

  #hear(process: string, key: string, thing: Thing): void {
    this.#heard.set(`${process} ${key}`, thing);
    const name = `${process} ${targetOfSpec(key.split('/')[0] ?? '', specOf(thing))}`;
    const { applied, proof, lastRequest } = statusOf(thing);
    const unknown = lastRequest?.outcome === 'Unknown' ? lastRequest.time : undefined;
    noteTimes(this.#taken, name, { thing, times: [applied?.time, proof?.time, unknown] });
    noteTimes(this.#tried, name, { thing, times: [lastRequest?.time] });
  }

  /**
   * What a look shows after a change was lost may be that change, and is as untold as an answer to
   * it.
   */
  #lose(call: ApiCall): void {
    const name = `${call.process} ${call.target}`;
    this.#unknown.add(name);
    if (changes(call)) this.#answered.set(name, []);
  }

  #answer(call: ApiCall): void {
    const name = `${call.process} ${call.target}`;
    this.#unknown.delete(name);
    const since = changes(call) ? [] : this.#answered.get(name);
    // An answer without an id, as of many a refusal, is one that no status can be seen to tell of.
    if (since) this.#answered.set(name, [...since, call.reply?.requestId ?? `call ${call.id}`]);
  }

  #tell(body: string): void {
    const { requestId } = statusOf(JSON.parse(body) as Thing).lastRequest ?? {};
    if (requestId !== undefined) this.#told.add(requestId);
  }

  #judge(call: ApiCall): void {
    if (this.#isForgotten(call)) return;
    const candidates = this.#court.candidates(call);
    if (candidates.length === 0) {
      this.#court.report(
        'call for-nobody',
        call.target,
        `${shown(call)} leaves, and no object stands for it`,
      );
      return;
    }
    const objections = candidates.map((candidate) => ({
      candidate,
      objection: this.#objection(call, candidate),
    }));
    if (objections.some(({ objection }) => objection === undefined)) return;
    const [likeliest] = objections.sort((a, b) => rank(b.objection) - rank(a.objection));
    if (!likeliest?.objection) return;
    const { key } = likeliest.candidate;
    this.#court.report(
      `call ${likeliest.objection}`,
      key,
      `${shown(call)} leaves for ${key}, ${SAYS[likeliest.objection]}`,
    );
  }

  /**
   * After a restore the process may know an object from before, and not have been told of it again.
   */
  #isForgotten(call: ApiCall): boolean {
    const { process, target } = call;
    const { life } = this.#court;
    if (life.restores.length === 0) return false;
    const known = life.knowledge.of(process);
    const forgotten = [...life.knowledge.forgottenBy(process)];
    if (
      forgotten.some(
        ([key, thing]) => targetOfSpec(key.split('/')[0] ?? '', specOf(thing)) === target,
      )
    )
      return true;
    const stored = life
      .objects()
      .filter(({ plural, thing }) => targetOfSpec(plural, specOf(thing)) === target);
    return (
      this.#court.candidates(call).length === 0 ||
      stored.some(({ plural, thing }) => !known.has(keyOf(plural, thing)))
    );
  }

  #objection(call: ApiCall, { key, known }: Candidate): Objection | undefined {
    const { thing } = known;
    if (!thing) return this.#court.life.timeline.now - known.at > GHOST_MS ? 'ghost' : 'gone';
    const spec = specOf(thing);
    const patch = call.method === 'PATCH' ? (call.body as PatchView) : {};
    const { add = [], remove = [] } = patch.privateEndpoints ?? {};
    if (thing.metadata.deletionTimestamp !== undefined) {
      const cleans =
        call.method === 'PATCH' &&
        spec.deletionPolicy === 'RemovePrivateEndpoints' &&
        add.length === 0;
      const holds = (thing.metadata.finalizers ?? []).some((finalizer) =>
        finalizer.startsWith('pipewright.dev/'),
      );
      return cleans && holds ? undefined : 'deleted';
    }
    if (spec.suspend) return 'suspended';
    if (spec.mode === 'Plan') return 'planned';
    const { namespace } = known.last.metadata;
    if (!this.#court.holds(namespace, call.credential, spec.credentialsSecretRef?.name))
      return 'old-spec';
    if (call.method === 'PUT' && !isDeepStrictEqual(call.body, { ...spec.settings }))
      return 'old-spec';
    if (patch.name !== undefined && patch.name !== spec.name) return 'old-spec';
    const declared = spec.privateEndpoints ?? [];
    if (!add.every((one) => declared.some((other) => isSentAs(one, other)))) return 'old-spec';
    if (remove.some((one) => declared.some((other) => sameEndpoint(one, other))))
      return 'undeclared';
    if (remove.length > 0 && spec.privateEndpoints === undefined) return 'undeclared';
    if (remove.length > (spec.maxPrivateEndpointRemovals ?? 5)) return 'over-cap';
    return this.#isNeedless(call, key, known) ? 'again' : undefined;
  }

  /** The one rule of when nothing is sent. */
  #isNeedless(call: ApiCall, key: string, known: Candidate['known']): boolean {
    const thing = known.last;
    const status = statusOf(thing);
    const ready = readyOf(thing);
    const spec = specOf(thing);
    const generation = thing.metadata.generation ?? 0;
    if (ready?.status !== 'True' || !['Applied', 'Fetched'].includes(ready.reason)) return false;
    if (ready.observedGeneration !== generation || status.lastRequest?.outcome !== 'Succeeded')
      return false;
    if (ready.reason === 'Applied' && status.applied?.generation !== generation) return false;
    if (spec.reassertInterval !== undefined || (status.differences ?? []).length > 0) return false;
    // What is missing, or not confirmed yet, is looked at once more.
    if ((status.privateEndpoints ?? []).some(({ state }) => state !== 'Present')) return false;
    if (isOwedATry(thing) || this.#isContested(call, thing) || this.#isTakenBack(call, key, thing))
      return false;
    if (this.#unknown.has(`${call.process} ${call.target}`) || this.#isUntold(call)) return false;
    if (this.#isOfNamesake(thing)) return false;
    // Another base address is another world, and what was confirmed at the other says nothing here.
    if (
      key.startsWith('activities/')
        ? status.activity === undefined
        : !this.#court.isConfirmed(thing)
    )
      return false;
    return !this.#court.isLateWord(known, call.process);
  }

  /**
   * No status tells of what this process sent last, because its object was gone, or another process
   * had spoken meanwhile, or the cluster was restored: whoever stands for its target sends, or
   * looks, once more.
   */
  #isUntold({ process, target }: ApiCall): boolean {
    const { life } = this.#court;
    const answered = this.#answered.get(`${process} ${target}`) ?? [];
    if (!answered.some((requestId) => this.#told.has(requestId))) return answered.length > 0;
    if (life.restores.length === 0) return false;
    return ![...life.knowledge.of(process)].some(([key, { last }]) => {
      const [plural = ''] = key.split('/');
      if (targetOfSpec(plural, specOf(last)) !== target) return false;
      return answered.includes(statusOf(last).lastRequest?.requestId ?? '');
    });
  }

  /**
   * The API took something of another object, or may have, after it confirmed this one, or so
   * shortly before that either may have been the last: nobody knows what it holds.
   */
  #isContested(call: ApiCall, thing: Thing): boolean {
    const { atWorkMs, fleet } = this.#court.life;
    const own = Date.parse(statusOf(thing).applied?.time ?? '');
    // A time that lies in the future, by the clock of the process, counts as long past.
    const { host } = fleet.processes.find(({ name }) => name === call.process) ?? {};
    const since = host && own > host.now() ? Number.NEGATIVE_INFINITY : own;
    const name = `${call.process} ${call.target}`;
    // What was taken of an object stays at the API also when that object is gone.
    const isAfter = (times: ReadonlyMap<string, number> = new Map(), from: number): boolean =>
      [...times].some(([uid, at]) => uid !== thing.metadata.uid && at >= from);
    // What came in the very second of the confirmation came in order.
    return (
      isAfter(this.#taken.get(name), since - atWorkMs) || isAfter(this.#tried.get(name), since + 1)
    );
  }

  /**
   * Where versions have gone back, a list from before a write of the process takes that write back,
   * too. A server that was behind and has caught up is taken for one that went back: nobody can
   * tell the two apart.
   */
  #isTakenBack({ process }: ApiCall, key: string, { metadata }: Thing): boolean {
    const { wentBackFrom, behindUntil, timeline } = this.#court.life;
    const heard =
      this.#heard.get(`${process} ${key}`)?.metadata.resourceVersion ?? metadata.resourceVersion;
    const mayGoBack = wentBackFrom !== undefined || timeline.now <= behindUntil + DOUBTED_MS;
    return mayGoBack && Number(heard) < Number(metadata.resourceVersion);
  }

  /**
   * Where versions have gone back, what is confirmed may be another spec, which had the number of
   * this generation before.
   */
  #isOfNamesake(thing: Thing): boolean {
    const call =
      this.#court.life.wentBackFrom === undefined ? undefined : this.#court.confirmedBy(thing);
    if (!call) return false;
    const own = this.#court
      .candidates(call)
      .find(({ known }) => known.last.metadata.uid === thing.metadata.uid);
    return own !== undefined && !isDeepStrictEqual(specOf(own.known.last), specOf(thing));
  }

  #judgeShape(call: ApiCall): void {
    const say = (what: string): void =>
      this.#court.report('call shape', call.target, `${shown(call)} leaves with ${what}`);
    if (call.method === 'GET') return;
    if (call.text.includes('null')) say('a null in it');
    if (call.text === '{}' || call.text === '') say('nothing in it');
    if (call.method !== 'PATCH') return;
    const { add = [], remove = [] } = (call.body as PatchView).privateEndpoints ?? {};
    const both = add.find(({ id }) => remove.some((other) => other.id === id));
    if (both) say(`${both.id} in both lists`);
  }
}

function noteTimes(
  known: Map<string, Map<string, number>>,
  name: string,
  { thing, times }: { readonly thing: Thing; readonly times: readonly (string | undefined)[] },
): void {
  const told = times.flatMap((time) => (time === undefined ? [] : [Date.parse(time)]));
  const byUid = known.get(name) ?? new Map<string, number>();
  const { uid, creationTimestamp } = thing.metadata;
  // A clock that was behind may date a call before its object was there.
  const since = Math.max(byUid.get(uid) ?? 0, Date.parse(creationTimestamp));
  if (told.length > 0) byUid.set(uid, Math.max(since, ...told));
  known.set(name, byUid);
}

/** An add carries the declared description, or none where there is none to carry. */
function isSentAs(sent: EndpointView, declared: EndpointView): boolean {
  const { description, ...tuple } = declared;
  return isDeepStrictEqual(
    { ...sent },
    { ...tuple, ...(description !== undefined && description !== '' && { description }) },
  );
}

/** What a look asks for changes nothing, whatever becomes of it. */
export function changes({ method, body }: ApiCall): boolean {
  if (method === 'PUT') return true;
  if (method !== 'PATCH') return false;
  const { name, privateEndpoints } = body as PatchView;
  return (
    name !== undefined ||
    (privateEndpoints?.add ?? []).length + (privateEndpoints?.remove ?? []).length > 0
  );
}

function rank(objection: Objection | undefined): number {
  return objection === undefined ? -1 : OBJECTIONS.indexOf(objection);
}

export function shown({ method, target, text }: ApiCall): string {
  return `${method} ${target}${text === '' ? '' : ` ${text.length > 160 ? `${text.slice(0, 160)}…` : text}`}`;
}
