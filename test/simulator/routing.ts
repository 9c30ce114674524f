import type { Activities } from './activities.ts';
import type { Organizations } from './organizations.ts';
import type { Settings } from './pipe-settings.ts';
import { refused, type Work } from './replies.ts';
import type { CallBehaviour } from './types.ts';

export interface ReadRequest {
  readonly method: string;
  readonly path: string;
  readonly contentType: string | undefined;
  readonly text: string;
  /** undefined where the text is no JSON */
  readonly body: unknown;
}

export interface Stores {
  readonly settings: Settings;
  readonly organizations: Organizations;
  readonly activities: Activities;
}

/** In bytes; a larger one is 413. */
export const LONGEST_BODY = 1024 * 1024;

const SETTINGS_PATH =
  /^\/v1\/organizations\/([^/?]+)\/services\/([^/?]+)\/pipes\/([^/?]+)\/settings$/;
const ACTIVITY_PATH = /^\/v1\/organizations\/([^/?]+)\/activities\/([^/?]+)$/;
const ORGANIZATION_PATH = /^\/v1\/organizations\/([^/?]+)$/;

/** The organization a path is about; undefined where there is none. */
export function organizationOf(path: string): string | undefined {
  const segment = /^\/v1\/organizations\/([^/?]+)/.exec(path)?.[1];
  return segment === undefined ? undefined : decoded(segment);
}

/** The organization that a call would change by PATCH, whatever becomes of it. */
export function patchedOrganization(method: string, path: string): string | undefined {
  const segment = method === 'PATCH' ? ORGANIZATION_PATH.exec(path)?.[1] : undefined;
  return segment === undefined ? undefined : decoded(segment);
}

/**
 * Does what a request asks for: the three operations of the document, and nothing else. `once` is
 * how they behave for this call alone.
 */
export function route(request: ReadRequest, stores: Stores, once: CallBehaviour = {}): Work {
  const { method, path, text } = request;
  if (Buffer.byteLength(text) > LONGEST_BODY) {
    return refused(413, `request body is larger than ${LONGEST_BODY} bytes`);
  }
  const settings = SETTINGS_PATH.exec(path);
  if (settings && method === 'PUT') {
    const names = settings.slice(1).map(decoded);
    return (
      bodyRefusal(request) ?? stores.settings.put(names.join('/'), request.body, once.settings)
    );
  }
  const organization = ORGANIZATION_PATH.exec(path);
  if (organization && method === 'PATCH') {
    return (
      bodyRefusal(request) ??
      stores.organizations.patch(decoded(organization[1]), request.body, once.organization)
    );
  }
  const activity = ACTIVITY_PATH.exec(path);
  if (activity && method === 'GET') {
    return stores.activities.get(decoded(activity[1]), decoded(activity[2]), once.activity);
  }
  if (settings || organization || activity)
    return refused(405, `${method} is not an operation of ${path}`);
  return refused(404, `no operation at ${path}`);
}

function bodyRefusal(request: ReadRequest): Work | undefined {
  if (request.text === '') return refused(400, 'request body is empty');
  if (!/^application\/json\s*(?:;|$)/i.test(request.contentType ?? '')) {
    return refused(400, `content-type is not application/json: ${request.contentType ?? 'none'}`);
  }
  return request.body === undefined ? refused(400, 'request body is not JSON') : undefined;
}

/** What cannot be decoded names nothing that exists, and is looked up as it is. */
function decoded(segment: string | undefined): string {
  try {
    return decodeURIComponent(segment ?? '');
  } catch {
    return segment ?? '';
  }
}
