import type { Org, Patch } from '../../support/organizations.ts';
import { ORGANIZATION } from '../../support/scene-objects.ts';
import type { Passing } from '../proxy.ts';

/** The object that a crash scene is about; its pipe and its record have the same name. */
export const NAME = 'acme';

/**
 * What the operator says to the management API: an Organization looked at, named, its endpoints
 * changed, a pipe set, a record fetched.
 */
const REMOTE = ['look', 'name', 'change', 'put', 'get'] as const;
/**
 * What it says to Kubernetes. `intent` and `result` are status writes: the first is made before a
 * change is sent.
 */
const LOCAL = ['finalizer', 'intent', 'result', 'secret'] as const;
/**
 * What goes beside everything else, so that its place among the other calls is not always the same.
 */
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
  return label === 'secret' || label === 'get' || label === 'look';
}

/**
 * What a request is about; undefined for another object's, and for the lists and watches that every
 * process needs.
 */
export function labelOf(passing: Passing): Label | undefined {
  const [path = ''] = passing.path.split('?');
  return path.startsWith('/api') ? localLabel(path, passing) : remoteLabel(path, passing);
}

function remoteLabel(path: string, { body }: Passing): Label | undefined {
  if (path.endsWith(`/organizations/${ORGANIZATION}`)) return organizationLabel(body as Patch);
  if (path.endsWith(`/pipes/${NAME}/settings`)) return 'put';
  return path.endsWith(`/activities/${NAME}`) ? 'get' : undefined;
}

function localLabel(path: string, { method, body }: Passing): Label | undefined {
  if (path.endsWith('/secrets/management-api')) return 'secret';
  if (method === 'GET') return undefined;
  if (path.startsWith('/apis/coordination.k8s.io/')) return 'lease';
  if (path.startsWith('/apis/events.k8s.io/')) return isAboutIt(body) ? 'event' : undefined;
  if (path.endsWith(`/${NAME}/status`)) return isIntent(body) ? 'intent' : 'result';
  return path.endsWith(`/${NAME}`) ? 'finalizer' : undefined;
}

function organizationLabel({
  name,
  privateEndpoints: { add = [], remove = [] } = {},
}: Patch): Label {
  if (name !== undefined) return 'name';
  return add.length + remove.length > 0 ? 'change' : 'look';
}

/** A change that has been sent stays on record too, with the time of the next look at it. */
function isIntent(body: unknown): boolean {
  const { pendingChange, nextAttemptTime } = (body as Partial<Org>).status ?? {};
  return pendingChange !== undefined && nextAttemptTime === undefined;
}

function isAboutIt(body: unknown): boolean {
  return (body as { regarding?: { name?: unknown } }).regarding?.name === NAME;
}
