import { isDeepStrictEqual } from 'node:util';
import { createKinds } from '../../../src/kinds/index.ts';
import { FakeClock, settle } from '../../support/fake-clock.ts';
import type { Kind, KindName, Metadata, Stands, Status, Stored, Wanted } from './objects.ts';
import { an, at, expectLawful, expectPlain, idOf, REQUESTED_AT, wire } from './objects.ts';
import type { ProcessOptions, Reply, Request } from './process.ts';
import { changed, contextOf, ok, patchOf, Secrets } from './process.ts';

const keyIn = (id: string) => id.slice(id.indexOf('/') + 1);
type Context = Parameters<Kind['reconcile']>[1];
export type Result = Awaited<ReturnType<Kind['reconcile']>>;

export interface StageOptions extends ProcessOptions {
  /** What the API answers; undefined: HTTP 200 with what was declared. */
  readonly api?: (request: Request, nth: number) => Reply | Promise<Reply> | undefined;
  /** Called at each step, when it stands in the log. */
  readonly on?: (step: string, stage: Stage) => void;
}

/** What an attempt made of an object, as its owner sees it. */
export interface Seen {
  readonly result: Result;
  readonly status: Status;
  /** `True Applied`. */
  readonly ready: string;
  readonly side: string | undefined;
  readonly message: string;
  /** Ms to the next attempt; undefined: none, until something changes. */
  readonly wait: number | undefined;
  /** `Reason: note` of what it sent. */
  readonly events: readonly string[];
}

/**
 * The kinds with a real limiter and real credentials in a process without an engine: the API server
 * is a map, each write stands at once, and the kind hears of it before it has the reply. Every
 * status is checked against the CRD that ships.
 */
export class Stage {
  readonly clock = new FakeClock(at(0));
  readonly secrets = new Secrets();
  readonly log: string[] = [];
  readonly bodies: string[] = [];
  readonly paths: string[] = [];
  /** `PipeSettings/ingest/orders user`. */
  readonly woken: string[] = [];
  readonly announced: string[] = [];
  readonly warned: object[] = [];
  readonly events: string[] = [];
  /** In mid-attempt. */
  readonly saved: Status[] = [];
  readonly guarded: (readonly string[])[] = [];
  options: StageOptions;
  readonly #stands = new Map<string, Stands>();
  /** By object: tells its running attempt that it is wanted no more. */
  readonly #ends = new Map<string, () => void>();
  readonly #kinds: readonly Kind[];
  #version = 1;
  readonly #next = () => String((this.#version += 1));
  #calls = 0;

  constructor(options: StageOptions = {}) {
    this.options = options;
    this.#kinds = createKinds(contextOf(this, this.options, (request) => this.#call(request)));
  }

  get now(): number {
    return this.clock.now();
  }

  get(id: string): Stands {
    const found = this.#stands.get(id);
    if (!found) throw new Error(`there is no ${id}`);
    return found;
  }

  has(id: string): boolean {
    return this.#stands.has(id);
  }

  /** As somebody writes it; returns its id. */
  put(object: Stands): string {
    const id = idOf(object);
    const metadata = { ...object.metadata, resourceVersion: this.#next() };
    const stored = wire({ ...object, metadata });
    this.#stands.set(id, stored);
    this.kind(object.kind).store.apply('MODIFIED', stored);
    return id;
  }

  /** As a person edits it: a new generation, and whatever else. */
  edit(id: string, spec: object = {}, metadata: Partial<Metadata> = {}): void {
    const before = this.get(id);
    const generation = (before.metadata.generation ?? 0) + 1;
    const whole = { ...before.metadata, generation, ...metadata };
    this.put({ ...before, metadata: whole, spec: { ...(before.spec as object), ...spec } });
    this.#ends.get(id)?.();
  }

  ask(id: string, value: string): void {
    const { metadata, ...rest } = this.get(id);
    this.put({ ...rest, metadata: { ...metadata, annotations: { [REQUESTED_AT]: value } } });
  }

  remove(id: string): void {
    const { metadata, ...rest } = this.get(id);
    this.#stands.delete(id);
    this.#ends.get(id)?.();
    const last = { ...rest, metadata: { ...metadata, resourceVersion: this.#next() } };
    this.kind(rest.kind).store.apply('DELETED', last);
    this.kind(rest.kind).forget(`${metadata.namespace}/${metadata.name}`);
  }

  /** One attempt, `afterMs` from now. Time passes only where it waits for something. */
  async run(id: string, afterMs = 0): Promise<Seen> {
    if (afterMs > 0) await this.clock.advance(afterMs);
    const running = this.start(id);
    // Time passes only while the attempt waits: `over` goes first in the race.
    const over = running.then(Boolean, () => true);
    while (!(await Promise.race([over, settle()]))) await this.clock.advance(1_000);
    return running;
  }

  /** One attempt that goes on while the test does. */
  async start(id: string): Promise<Seen> {
    const kind = this.kind(this.get(id).kind);
    const begun = kind.store.get(keyIn(id));
    if (!begun) throw new Error(`the store has no ${id}`);
    const emitted = this.events.length;
    const result = await kind.reconcile(begun, this.#attempt(kind, id, begun));
    if (result.status) this.#write(kind, id, result.status);
    for (const { reason, note } of result.events ?? []) this.#said(reason, note);
    return this.#seen(id, result, this.events.slice(emitted));
  }

  kind(name: string): Kind {
    const found = this.#kinds.find(({ type }) => type.kind === name);
    if (!found) throw new Error(`there is no kind ${name}`);
    return found;
  }

  #seen(id: string, result: Result, events: readonly string[]): Seen {
    const { status = {} } = this.#stands.get(id) ?? {};
    const [summary, beside] = status.conditions ?? [];
    const { status: is, reason, message = '' } = summary ?? {};
    const wait = result.next === 'on-change' ? undefined : result.next.at - this.now;
    return { result, status, ready: `${is} ${reason}`, side: beside?.type, message, wait, events };
  }

  #attempt(kind: Kind, id: string, begun: Stored): Context {
    const stillWanted = (): boolean => this.#isSame(id, begun);
    return {
      now: () => this.now,
      object: () => kind.store.get(keyIn(id)) ?? begun,
      stillWanted,
      onUnwanted: (end) => {
        this.#ends.set(id, end);
        if (!stillWanted()) end();
      },
      parked: (wait) => wait(),
      save: async (status) => {
        this.#write(kind, id, status);
        this.saved.push(wire(status as Status));
        const { pendingChange = {} } = status as Status;
        this.#step(['save', ...changed(pendingChange)].join(' '));
        return true;
      },
      finalizer: async (name, present) => {
        this.#setFinalizer(id, name, present);
        this.#step(`finalizer ${present ? 'on' : 'off'}`);
        return true;
      },
      emit: ({ reason, note }) => this.#said(reason, note),
    };
  }

  #isSame(id: string, { metadata: { uid, generation, deletionTimestamp } }: Stored): boolean {
    const now = this.#stands.get(id)?.metadata;
    if (now?.uid !== uid || now.generation !== generation) return false;
    return now.deletionTimestamp === deletionTimestamp;
  }

  #write(kind: Kind, id: string, status: object): void {
    const stands = this.#stands.get(id);
    const plain = wire(kind.fit(status)) as Status;
    if (!stands || isDeepStrictEqual(plain, stands.status)) return;
    expectLawful(stands.kind, plain);
    this.put({ ...stands, status: plain });
  }

  #setFinalizer(id: string, name: string, present: boolean): void {
    const stands = this.get(id);
    const finalizers = present ? [name] : [];
    if (stands.metadata.deletionTimestamp && !present) return this.remove(id);
    this.put({ ...stands, metadata: { ...stands.metadata, finalizers } });
  }

  #step(step: string): void {
    this.log.push(step);
    this.options.on?.(step, this);
  }

  #said(reason: string, note: string): void {
    expectPlain(note);
    this.events.push(`${reason}: ${note}`);
  }

  async #call(request: Request): Promise<Reply> {
    if (!request.begin()) return { answered: false, sent: false, cause: 'off', calledOff: true };
    const { body, path, method, credential } = request;
    if (body !== undefined) this.bodies.push(body);
    this.paths.push(`${method} /${path.join('/')}`);
    this.secrets.used.push(credential.authorization);
    const answer = await this.options.api?.(request, this.#calls++);
    this.#step(method === 'PATCH' ? patchOf(JSON.parse(body ?? '{}') as object) : method);
    return answer ?? ok(JSON.parse(body ?? '{"id":"record"}') as Record<string, unknown>);
  }
}

/** One object on a stage of its own. */
export function staged(kind: KindName, wanted: Wanted = {}, options: StageOptions = {}) {
  const stage = new Stage(options);
  const id = stage.put(an(kind, wanted));
  return { stage, id, run: (afterMs = 0): Promise<Seen> => stage.run(id, afterMs) };
}
