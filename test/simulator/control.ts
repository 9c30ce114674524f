import type { IncomingMessage, ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { z } from 'zod';
import type { Activity } from './activities.ts';
import { organizationManners, settingsManners } from './manners.ts';
import type { Behaviour, Fault, Match, Rate, Simulator } from './types.ts';

/** What a verb is sent, in its query or as JSON; only manners are checked. */
interface Sent extends Match {
  readonly id: string;
  readonly pipe: string;
  readonly fault: Fault;
  readonly match?: Match;
  readonly times?: number;
  readonly settings: Record<string, unknown>;
  readonly organizationId: string;
  readonly activity: Activity;
  readonly secret?: string;
}

const behaviour = z.strictObject({
  settings: settingsManners.partial().exactOptional(),
  organization: organizationManners.partial().exactOptional(),
  latencyMs: z.number().exactOptional(),
  rate: z.custom<Rate>().exactOptional(),
});

/** The same switches over HTTP, for another process; its calls are not logged. */
export function createControl(simulator: Simulator) {
  const verbs: Readonly<Record<string, (sent: Sent) => unknown>> = {
    'GET log': (match) => simulator.calls(match),
    'GET settings': ({ pipe }) => simulator.settingsOf(pipe),
    'GET organization': ({ id }) => simulator.organization(id),
    'POST play': (sent) => simulator.play(behaviour.parse(sent) as Behaviour),
    'POST next': ({ fault, ...turns }) => simulator.next(fault, turns),
    'POST always': ({ fault, match }) => simulator.always(fault, match),
    'POST clear': () => simulator.clear(),
    'POST release': () => simulator.release(),
    'POST set-settings': ({ pipe, settings }) => simulator.setSettings(pipe, settings),
    'POST set-organization': ({ id, ...change }) => simulator.setOrganization(id, change as object),
    'POST set-activity': ({ organizationId, activity }) =>
      simulator.setActivity(organizationId, activity),
    'POST set-key': ({ id, secret, ...options }) => simulator.setKey(id, secret, options as object),
  };

  async function answer(request: IncomingMessage): Promise<unknown> {
    const { pathname, searchParams } = new URL(request.url ?? '/', simulator.url);
    const verb = `${request.method} ${pathname.slice('/_control/'.length)}`;
    const run = verbs[verb];
    if (!run) throw new Error(`no ${verb}; there are ${Object.keys(verbs).join(', ')}`);
    const isRead = request.method === 'GET';
    return run((isRead ? Object.fromEntries(searchParams) : await json(request)) as Sent);
  }

  return {
    serve: (request: IncomingMessage, response: ServerResponse): void => {
      const end = (status: number, body: unknown = null): void => {
        response.writeHead(status, { 'content-type': 'application/json' });
        response.end(JSON.stringify(body));
      };
      answer(request).then(
        (body) => end(200, body),
        (error: unknown) => end(400, { error: String(error) }),
      );
    },
  };
}
