import type { ApiRequest, Reply } from '../../../src/api/http/client.ts';
import type { Kind } from '../../../src/controller/kind.ts';
import type { KindContext } from '../../../src/kinds/engine/context.ts';
import { type KubeObject, keyOf } from '../../../src/kube/resource.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { aKindContext } from '../../support/kind-context.ts';
import { BASE_URL } from '../../support/objects.ts';

/** One call as the API gets it. */
export type Call = Pick<ApiRequest, 'operation' | 'method' | 'body'> & { readonly path: string };

/** One step of a visit: what was called, and what stands in the cluster after it. */
interface Step {
  readonly call?: string;
  readonly finalizers?: readonly string[];
  /** What the status has that the one before it had not. Absent: nothing was written. */
  readonly status?: readonly string[];
}

/** An object that is visited, with all that its kind knows of it. */
export class Visited {
  readonly clock = new FakeClock();
  readonly steps: Step[] = [];
  /** What the API answers; a test sets another. */
  answer: (call: Call) => Reply = () => ({ answered: false, sent: false, cause: 'nobody there' });
  /** What reading the Secret gives in place of a key. */
  problem: 'SecretNotFound' | 'SecretInvalid' | 'SecretForbidden' | undefined;
  readonly #kind: Kind;
  #object: KubeObject;
  #leaves: ReadonlyMap<string, string> = new Map();
  /** What the step under way has done beside the status. */
  #done: Omit<Step, 'status'> = {};

  constructor(
    create: (context: KindContext) => Kind,
    object: KubeObject,
    { others = [], planOnly = false }: { others?: readonly KubeObject[]; planOnly?: boolean } = {},
  ) {
    const context = aKindContext(this.clock, { answer: () => Promise.reject(new Error('unused')) });
    this.#kind = create({
      ...context,
      planOnly,
      api: { ...context.api, baseUrl: BASE_URL, call: async (request) => this.#send(request) },
      readCredential: async (namespace, ref) =>
        this.problem === undefined
          ? context.readCredential(namespace, ref)
          : { ok: false, problem: { reason: this.problem, message: 'words' } },
      writeFinalizers: async (_type, before, finalizers) => {
        this.#done = { finalizers };
        return { ...before, metadata: { ...this.#next(before).metadata, finalizers } };
      },
    });
    this.#object = object;
    this.#kind.takeOver();
    this.#kind.sink().replace([object, ...others], '1', false);
  }

  /** Another object appears. */
  meet(other: KubeObject): void {
    this.#kind.sink().apply('ADDED', other);
  }

  /** The object gets another spec, annotation or the like, as its user or the server writes it. */
  edit(change: (object: KubeObject) => Partial<KubeObject>): void {
    this.#put({ ...this.#object, ...change(this.#object) });
  }

  /** What was seen so far is told by another story; changes are those to what stands now. */
  startHere(): this {
    this.steps.length = 0;
    return this;
  }

  /** The same, with a generation of its own. */
  declare(spec: object): void {
    this.edit(({ metadata, spec: before }) => ({
      metadata: { ...metadata, generation: (metadata.generation ?? 0) + 1 },
      spec: { ...(before as Readonly<Record<string, unknown>>), ...spec },
    }));
  }

  /** All steps that follow one another at once, each of them written down. */
  async visit(afterMs = 0): Promise<void> {
    await this.clock.advance(afterMs);
    for (let goesOn = true, most = 12; goesOn && most > 0; most -= 1) {
      this.#done = {};
      const key = keyOf(this.#object);
      const { status, outcome } = await this.#kind.reconcile(this.#object, this.clock);
      this.#object = this.#kind.get(key) ?? this.#object;
      if (status) this.#put({ ...this.#object, status });
      if (status) this.#kind.recorded(key, 'written');
      goesOn = outcome.next === 'go-on';
      this.#kind.release(key, goesOn);
      this.steps.push({
        ...this.#done,
        ...(status && { status: this.#changesTo(status) }),
      });
    }
  }

  #send({ operation, method, path, body, begin }: ApiRequest): Reply {
    const objection = begin?.();
    if (objection) return { answered: false, sent: false, cause: 'words', aborted: objection };
    const sent = body === undefined ? {} : { body };
    const call = { operation, method, path: `/${path.join('/')}`, ...sent };
    this.#done = { call: `${operation} ${method} ${call.path} ${body ?? ''}`.trim() };
    return this.answer(call);
  }

  #changesTo(status: object): string[] {
    const before = this.#leaves;
    this.#leaves = new Map(leavesOf(status));
    const written = [...this.#leaves].filter(([path, value]) => before.get(path) !== value);
    const gone = [...before.keys()].flatMap((path) => this.#firstGone(path) ?? []);
    return [
      ...written.map(([path, value]) => `${path}: ${value}`),
      ...new Set(gone.map((path) => `${path} is gone`)),
    ].sort();
  }

  /** The path, or what is above it, with nothing of it left. */
  #firstGone(path: string): string | undefined {
    const names = path.split('.');
    const above = names.map((_, index) => names.slice(0, index + 1).join('.'));
    const left = [...this.#leaves.keys()];
    return above.find((one) => !left.some((leaf) => `${leaf}.`.startsWith(`${one}.`)));
  }

  #next(object: KubeObject): KubeObject {
    const resourceVersion = String(Number(object.metadata.resourceVersion) + 1);
    return { ...object, metadata: { ...object.metadata, resourceVersion } };
  }

  #put(object: KubeObject): void {
    this.#object = this.#next(object);
    this.#kind.put(this.#object);
  }
}

/** Sentences are for people, and their words may change: only that there is one is held fast. */
function leavesOf(value: unknown, path = ''): (readonly [string, string])[] {
  const isInner = typeof value === 'object' && value !== null;
  if (!isInner || Object.keys(value).length === 0) {
    const isWords = typeof value === 'string' && /(^|\.)message$/.test(path);
    return [[path, isWords ? '(words)' : JSON.stringify(value)]];
  }
  return Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .flatMap(([name, member]) => leavesOf(member, path === '' ? name : `${path}.${name}`));
}
