import { createApiKeys, readBasic } from './api-keys.ts';
import { createOrganizations } from './organizations.ts';
import { createSettings } from './pipe-settings.ts';
import { createLimits } from './rate-limits.ts';
import { createRecords } from './records.ts';
import { failed, refused, type Work } from './replies.ts';
import { isInFront, isWorkDone, scriptedReply } from './script.ts';
import type { CallBehaviour, Fault, Given, Time } from './types.ts';

/** A call that has arrived whole. */
export interface Request {
  readonly method: string;
  readonly path: string;
  readonly authorization: string | undefined;
  readonly contentType: string | undefined;
  readonly text: string;
}

/** What became of a call: what was done, what is answered, and what the script said. */
export interface Served extends Work {
  readonly fault: Fault | undefined;
}

const realTime: Time = { passed: () => performance.now(), now: () => Date.now() };
const JSON_TYPE = { 'content-type': 'application/json' };
const SETTINGS_PATH =
  /^\/v1\/organizations\/([^/?]+)\/services\/([^/?]+)\/pipes\/([^/?]+)\/settings$/;
const ORGANIZATION_PATH = /^\/v1\/organizations\/([^/?]+)$/;

/** All that decides what a call comes to, however it got here. */
export class Service {
  readonly keys;
  readonly limits;
  readonly settings;
  readonly organizations;
  readonly records;

  constructor({ keys, pipes = [], anyPipe = true }: Given, time: Time = realTime) {
    this.keys = createApiKeys(keys);
    this.limits = createLimits(time);
    this.settings = createSettings({ pipes, anyPipe });
    this.organizations = createOrganizations({ anyOrganization: anyPipe });
    this.records = createRecords(time);
  }

  /**
   * Lets a call through to its operation, unless its key, the limit or a fault forbids it.
   * `faultFor` is asked once, with whether keys and limits let it through.
   */
  serve(request: Request, faultFor: (admitted: boolean) => Fault | undefined): Served {
    const { method, path, authorization } = request;
    const credential = readBasic(authorization);
    const keyId = credential?.keyId ?? '';
    const organizationId = /^\/v1\/organizations\/([^/?]+)/.exec(path)?.slice(1).map(decoded)[0];
    const refusal =
      this.keys.refuse(credential, { method, organizationId }) ?? this.limits.refuse(keyId);
    const fault = faultFor(refusal === undefined);
    if (!refusal && (isWorkDone(fault) || (fault && !isInFront(fault)))) this.limits.count(keyId);
    const work = isWorkDone(fault) ? this.#work(request, refusal, fault?.play) : undefined;
    const { reply: done, ...rest } = work ?? { applied: false };
    const reply = fault && 'status' in fault ? scriptedReply(fault, done) : (done ?? failed(500));
    return { ...rest, fault, reply: { ...reply, headers: { ...JSON_TYPE, ...reply.headers } } };
  }

  #work(request: Request, refusal: Work['reply'] | undefined, once: CallBehaviour = {}): Work {
    if (refusal) return { reply: refusal, applied: false };
    const { method, path } = request;
    const [settings, organization] = [SETTINGS_PATH, ORGANIZATION_PATH].map((one) =>
      one.exec(path)?.slice(1).map(decoded),
    );
    if (method === 'GET' && !settings && !organization) return this.records.get(path);
    const isWrite = (settings && method === 'PUT') || (organization && method === 'PATCH');
    if (!isWrite) {
      const isKnown = settings ?? organization ?? this.records.has(path);
      return refused(isKnown ? 405 : 404, `${method} is no operation of ${path}`);
    }
    const body = parsed(request.text);
    const isJson = /^application\/json\s*(?:;|$)/i.test(request.contentType ?? '');
    if (!isJson || body === undefined) return refused(400, 'request body is not JSON');
    return settings
      ? this.settings.put(settings.join('/'), body, once.settings)
      : this.organizations.patch(organization?.[0] ?? '', body, once.organization);
  }
}

/** What a text says as JSON; undefined where it is none. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What cannot be decoded names nothing that exists, and is looked up as it is. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
