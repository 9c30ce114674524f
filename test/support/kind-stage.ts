import type { ApiRequest } from '../../src/api/call.ts';
import { encodePath } from '../../src/api/path.ts';
import { type Reply, readAnswer } from '../../src/api/reply.ts';
import type { Definition } from '../../src/kinds/schema/definition.ts';
import type { KubeObject } from '../../src/kube/resource.ts';
import { ManagementApi } from '../simulation/management/api.ts';
import { FakeClock } from './fake-clock.ts';
import { aKindContext } from './kind-context.ts';
import { KindRig } from './kind-rig.ts';

/** A request that reached the API. */
export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body?: string;
}

const NAMESPACE = 'ingest';
const MOST_STEPS = 100;

/** One kind and the simulated API, in one process and in no time. */
export class KindStage {
  readonly clock = new FakeClock('2026-03-01T12:00:00.000Z');
  readonly api = new ManagementApi({
    passed: () => this.clock.monotonic(),
    now: () => this.clock.now(),
  });
  /** Since it was emptied last. */
  sent: Sent[] = [];
  readonly #definition: Definition;
  readonly #rig: KindRig;

  constructor(definition: Definition) {
    this.#definition = definition;
    this.api.keys.set('key', 'secret');
    const authorization = `Basic ${Buffer.from('key:secret').toString('base64')}`;
    const context = aKindContext(this.clock, {
      call: (request) => this.#call(request),
      credentialIn: () => ({ id: 'key', authorization, mask: (text) => text }),
    });
    this.#rig = new KindRig(definition, context);
  }

  get(name: string): KubeObject | undefined {
    return this.#rig.get(`${NAMESPACE}/${name}`);
  }

  /** As `kubectl apply` of a whole spec does: what is the same makes no new generation. */
  applied(name: string, spec: unknown): KubeObject {
    const before = this.get(name);
    if (!before) {
      const metadata = {
        name,
        namespace: NAMESPACE,
        uid: `uid-${name}`,
        resourceVersion: '1',
        generation: 1,
        creationTimestamp: `${new Date(this.clock.now()).toISOString().slice(0, 19)}Z`,
      };
      return { metadata, spec, status: this.#definition.pendingStatus };
    }
    const isSame = JSON.stringify(before.spec) === JSON.stringify(spec);
    const generation = (before.metadata.generation ?? 0) + (isSame ? 0 : 1);
    return { ...before, metadata: { ...before.metadata, generation }, spec };
  }

  apply(name: string, spec: unknown): void {
    this.#rig.put(this.applied(name, spec));
  }

  /** Reconciles this object until nothing is left to do now. */
  async settle(name: string): Promise<void> {
    for (let steps = 0; steps < MOST_STEPS; steps += 1) {
      const result = await this.#rig.reconcile(`${NAMESPACE}/${name}`);
      if (!result || result.next === 'on-change' || result.next.at > this.clock.now()) return;
    }
    throw new Error('this does not come to rest');
  }

  async #call({ method, path, body, credential, begin }: ApiRequest): Promise<Reply> {
    if (!begin()) return { answered: false, sent: false, cause: 'called off', calledOff: true };
    const at = encodePath(path);
    this.sent.push({ method, path: at, ...(body !== undefined && { body }) });
    const headers = {
      authorization: credential.authorization,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    };
    const work = this.api.work({ method, path: at, headers, body: body ?? '' });
    const { status, text } = work.reply;
    return readAnswer(
      { httpStatus: status, headers: work.reply.headers ?? {}, body: { text } },
      { nowMs: this.clock.now(), mask: (same) => same },
    );
  }
}
