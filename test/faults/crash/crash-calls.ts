import { ORGANIZATION } from '../../support/scene.ts';
import type { Passing } from '../proxy.ts';

/** The object that a crash scene is about; its pipe and its record have the same name. */
export const NAME = 'acme';

/** What the operator says to the management API: an Organization asked about, its endpoints changed, a pipe set, a record fetched. */
const REMOTE = ['read', 'change', 'put', 'get'] as const;
/** What it says to Kubernetes. `intent` and `result` are status writes, with and without a pending change. */
const LOCAL = ['finalizer', 'intent', 'result', 'secret'] as const;
/** What goes beside everything else, so that its place among the other calls is not always the same. */
const ASIDE = ['event', 'lease'] as const;

export type Label = (typeof REMOTE | typeof LOCAL | typeof ASIDE)[number];

/** Whether the call goes to the management API. */
export function isRemote(label: Label): boolean {
  return REMOTE.some((one) => one === label);
}

export function isAside(label: Label): boolean {
  return ASIDE.some((one) => one === label);
}

/** Whether it changes nothing, wherever it is lost. */
export function isHarmless(label: Label): boolean {
  return label === 'secret' || label === 'get';
}

/** What a request is about; undefined for another object's, and for the lists and watches that every process needs. */
export function labelOf(passing: Passing): Label | undefined {
  const [path = ''] = passing.path.split('?');
  return path.startsWith('/api') ? localLabel(path, passing) : remoteLabel(path, passing);
}

function remoteLabel(path: string, { body }: Passing): Label | undefined {
  if (path.endsWith(`/organizations/${ORGANIZATION}`)) return changesEndpoints(body) ? 'change' : 'read';
  if (path.endsWith(`/pipes/${NAME}/settings`)) return 'put';
  return path.endsWith(`/activities/${NAME}`) ? 'get' : undefined;
}

function localLabel(path: string, { method, body }: Passing): Label | undefined {
  if (path.endsWith('/secrets/management-api')) return 'secret';
  if (method === 'GET') return undefined;
  if (path.startsWith('/apis/coordination.k8s.io/')) return 'lease';
  if (path.startsWith('/apis/events.k8s.io/')) return isAboutIt(body) ? 'event' : undefined;
  if (path.endsWith(`/${NAME}/status`)) return hasPendingChange(body) ? 'intent' : 'result';
  return path.endsWith(`/${NAME}`) ? 'finalizer' : undefined;
}

function changesEndpoints(body: unknown): boolean {
  const { add = [], remove = [] } = (body as { privateEndpoints?: { add?: []; remove?: [] } }).privateEndpoints ?? {};
  return add.length + remove.length > 0;
}

function hasPendingChange(body: unknown): boolean {
  return (body as { status?: { pendingChange?: unknown } }).status?.pendingChange !== undefined;
}

function isAboutIt(body: unknown): boolean {
  return (body as { regarding?: { name?: unknown } }).regarding?.name === NAME;
}
