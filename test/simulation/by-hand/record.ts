import type { EndpointMoves } from '../../simulator/organization-patch.ts';
import { putSecret } from '../adversary/secrets.ts';
import { judge, type Sitting } from '../invariants/all.ts';
import { kindOf } from '../kubernetes/kinds.ts';
import type { Backup, Thing } from '../kubernetes/objects.ts';
import { Life } from '../life/life.ts';
import type { Product } from '../life/product.ts';
import { OPERATOR, operatorRights } from '../life/rights.ts';
import type { World } from '../life/world.ts';
import type { ApiCall, ProcessEvent } from '../record/facts.ts';
import { type Plural, type SpecView, type StatusView, targetOfSpec } from '../record/objects.ts';

/** How an answer of the management API is: what it did, and what it says. */
export interface Answer {
  readonly status?: number;
  /** Whether the work was done, in whole or in part. */
  readonly applied?: boolean;
  readonly moves?: Partial<EndpointMoves>;
  readonly result?: Readonly<Record<string, unknown>>;
}

/**
 * A record made by hand: nothing lives in it but what is told here, and every judge hears of that.
 */
export class HandRecord {
  readonly life: Life;
  readonly #sitting: Sitting;

  constructor(world: World, product: Product) {
    this.life = new Life({ world, product, opponent: () => ({ begin: () => {}, hop: () => 0 }) });
    this.#sitting = judge(this.life);
    this.life.kube.rights.give(OPERATOR, operatorRights(undefined));
    for (const { id, secret, options } of world.keys) this.life.setKey(id, secret, options);
    for (const draft of world.secrets) putSecret(this.life, draft);
  }

  /** The rules that were broken, once everything is told. */
  rules(): string[] {
    this.#sitting.close();
    return this.rulesSoFar();
  }

  rulesSoFar(): string[] {
    return this.#sitting.court.violations.map(({ rule }) => rule);
  }

  get excused(): string[] {
    return [...this.#sitting.court.excused.keys()];
  }

  /** Time passes until then, in seconds since the beginning. */
  async until(seconds: number): Promise<void> {
    await this.life.run(seconds * 1_000);
  }

  creates(plural: Plural, namespace: string, name: string, spec: object): void {
    this.life.kube.as('user').create(kindOf(plural), namespace, { metadata: { name }, spec });
  }

  edits(key: string, change: object): void {
    const { plural, namespace, name } = partsOf(key);
    this.life.kube.as('user').edit(kindOf(plural), namespace, name, (thing) => ({
      ...thing,
      spec: { ...(thing.spec as object), ...change },
    }));
  }

  /**
   * The cluster's storage comes back from a copy, and its versions go on from far above, or back.
   */
  restores(backup: Backup, { forwards }: { readonly forwards: boolean }): void {
    const { kube, knowledge } = this.life;
    const { revision } = kube.objects;
    kube.objects.restore(backup, { forwards });
    knowledge.forget();
    this.life.restored(forwards ? undefined : revision);
  }

  deletes(key: string): void {
    const { plural, namespace, name } = partsOf(key);
    this.life.kube.as('user').delete(kindOf(plural), namespace, name);
  }

  process(process: string, did: ProcessEvent): void {
    this.life.tell({ what: 'process', process, did });
  }

  /** A process starts, and is shown what there is of an object. */
  begins(process: string, key: string): void {
    this.process(process, 'starts');
    this.shows(process, key);
  }

  /** A process is shown what the API server has of an object. */
  shows(process: string, key: string): void {
    this.life.tell({ what: 'seen', process, key, thing: this.stored(key) });
  }

  /** A request of a process to the API server has no answer. */
  hangs(process: string, key: string): void {
    this.life.tell({
      what: 'asked',
      process,
      ask: {
        method: 'PUT',
        path: pathOf(key),
        status: undefined,
        body: JSON.stringify(this.stored(key)),
      },
    });
  }

  /** A process writes a status; `unheard`: it has no answer. */
  writes(
    process: string,
    key: string,
    status: StatusView & object,
    { unheard = false } = {},
  ): void {
    const path = pathOf(key);
    const body = JSON.stringify({ ...this.stored(key), status: complete(status) });
    const reply = this.life.kube.serve(
      { method: 'PUT', path, headers: {}, body },
      { user: OPERATOR, by: process },
    );
    if (reply.status !== 200) throw new Error(`${path}: ${JSON.stringify(reply.body)}`);
    if (unheard) return;
    this.life.tell({ what: 'asked', process, ask: { method: 'PUT', path, status: 200, body } });
    this.shows(process, key);
  }

  /** A process sets the finalizers of an object. */
  holds(process: string, key: string, finalizers: readonly string[]): void {
    const path = pathOf(key).replace(/\/status$/, '');
    const headers = { 'content-type': 'application/merge-patch+json' };
    const body = JSON.stringify({ metadata: { finalizers } });
    const reply = this.life.kube.serve(
      { method: 'PATCH', path, headers, body },
      { user: OPERATOR, by: process },
    );
    if (reply.status !== 200) throw new Error(`${path}: ${JSON.stringify(reply.body)}`);
    this.shows(process, key);
  }

  notes(process: string, key: string, reason: string, note: string): void {
    const { namespace } = partsOf(key);
    const body = JSON.stringify({
      reason,
      note,
      regarding: { uid: this.stored(key)?.metadata.uid },
    });
    const path = `/apis/events.k8s.io/v1/namespaces/${namespace}/events`;
    this.life.tell({ what: 'asked', process, ask: { method: 'POST', path, status: 201, body } });
  }

  /** A call leaves for an object, as its spec is now. */
  leaves(process: string, key: string, body: object, host: string = this.life.apiHost): ApiCall {
    const { plural, namespace } = partsOf(key);
    const spec = this.stored(key)?.spec as SpecView;
    const draft = this.life.secrets.findLast((one) => one.namespace === namespace);
    const call: ApiCall = {
      id: this.life.nextId(),
      process,
      host,
      method: plural === 'organizations' ? 'PATCH' : 'PUT',
      path: `/v1/${targetOfSpec(plural, spec)}`,
      text: JSON.stringify(body),
      body,
      credential: { keyId: draft?.keyId ?? '', secret: draft?.secret ?? '' },
      target: targetOfSpec(plural, spec),
      leftAt: this.life.timeline.now,
      executions: [],
    };
    this.life.tell({ what: 'leaves', call });
    return call;
  }

  done(call: ApiCall, { status = 200, applied = true, moves = {} }: Answer = {}): void {
    const { now: at } = this.life.timeline;
    const { added = [], removed = [] } = moves;
    const requestId = `00000000-0000-4000-8000-${String(call.id).padStart(12, '0')}`;
    call.executions.push({ at, status, applied, requestId, moves: { added, removed } });
    this.life.tell({ what: 'done', call });
  }

  answered(call: ApiCall, { status = 200, result }: Answer = {}): string | undefined {
    const { now: at } = this.life.timeline;
    const requestId = call.executions.at(-1)?.requestId;
    call.reply = {
      at,
      status,
      requestId,
      error: status < 300 ? undefined : 'no',
      result,
      headers: {},
    };
    this.life.tell({ what: 'answered', call });
    return requestId;
  }

  /** It leaves, is carried out and is answered at once; gives the request id. */
  calls(process: string, key: string, body: object, answer: Answer = {}): string {
    const call = this.leaves(process, key, body);
    this.done(call, answer);
    return this.answered(call, answer) ?? '';
  }

  unanswered(call: ApiCall): void {
    call.unanswered = { at: this.life.timeline.now, why: 'no answer' };
    this.life.tell({ what: 'unanswered', call });
  }

  /** A status time of now, or of so many seconds later. */
  time(later = 0): string {
    return new Date(this.life.kube.now() + later * 1_000).toISOString().replace(/\.\d+Z$/, 'Z');
  }

  stored(key: string): Thing | undefined {
    const { plural, namespace, name } = partsOf(key);
    return this.life.stored(plural, namespace, name);
  }
}

function partsOf(key: string): {
  readonly plural: Plural;
  readonly namespace: string;
  readonly name: string;
} {
  const [plural = '', namespace = '', name = ''] = key.split('/');
  return { plural: plural as Plural, namespace, name };
}

function pathOf(key: string): string {
  const { plural, namespace, name } = partsOf(key);
  return `/apis/pipewright.dev/v1alpha1/namespaces/${namespace}/${plural}/${name}/status`;
}

function complete({ conditions = [], ...status }: StatusView): object {
  const lastTransitionTime = '2026-03-01T00:00:00Z';
  return {
    ...status,
    conditions: conditions.map((condition) => ({ lastTransitionTime, ...condition })),
  };
}
