import type { IncomingMessage } from 'node:http';
import type { Clock } from '../clock.ts';
import { bugFields, errorFields, type Log } from '../log.ts';
import { type Answer, pathOf, refusedMethod, send } from './answer.ts';
import { createCertificate } from './certificate.ts';
import { type Listener, type ListenerOptions, openListener } from './listener.ts';
import { createScrapeAccess, type Review, type Standing } from './scrape-access.ts';

export interface MetricsServerOptions extends Pick<ListenerOptions, 'listen'> {
  readonly certFile: string;
  readonly keyFile: string;
  /** The answer to a scrape that may have it. */
  readonly metrics: () => Answer;
  readonly review: Review;
  readonly clock: Clock;
  readonly log: Log;
}

/** A scrape comes every few seconds, and says the same to whoever looks at it. */
const TELL_AGAIN_MS = 600_000;

/**
 * Serves /metrics with TLS to those whom Kubernetes lets get it, and to nobody where Kubernetes
 * does not say. Throws an error that names the flag when it cannot start.
 */
export async function startMetricsServer(options: MetricsServerOptions): Promise<Listener> {
  const { listen, clock, log } = options;
  const access = createScrapeAccess(options.review, clock);
  let toldAt = Number.NEGATIVE_INFINITY;

  const tell = (why: string): void => {
    if (clock.monotonic() - toldAt < TELL_AGAIN_MS) return;
    toldAt = clock.monotonic();
    log.warn({ why }, 'cannot find out who may read the metrics; nobody gets them');
  };
  const answer = async (request: IncomingMessage): Promise<Answer> => {
    if (pathOf(request) !== '/metrics')
      return { status: 404, body: 'not found; this server has /metrics\n' };
    const refused = refusedMethod(request);
    if (refused) return refused;
    const token = bearerToken(request);
    const standing: Standing =
      token === undefined ? { is: 'unauthenticated' } : await access(token);
    if (standing.is === 'unknown') tell(standing.why);
    return standing.is === 'allowed' ? options.metrics() : refusal(standing);
  };

  return openListener({
    listen,
    flag: '--metrics-listen',
    certificate: createCertificate(options),
    onError: (error) => log.error(errorFields(error), 'error in the metrics server'),
    handle: (request, response) =>
      void answer(request)
        .catch((error: unknown): Answer => {
          log.error(bugFields(error), 'cannot answer a scrape, a bug');
          return { status: 500, body: 'failed; the log of the operator says why\n' };
        })
        .then((answered) => send(request, response, answered)),
  });
}

function bearerToken({ headers: { authorization = '' } }: IncomingMessage): string | undefined {
  return /^Bearer +(\S+)$/i.exec(authorization)?.[1];
}

function refusal(standing: Exclude<Standing, { readonly is: 'allowed' }>): Answer {
  if (standing.is === 'unknown')
    return {
      status: standing.status,
      body: `${standing.why}\n`,
      ...(standing.status === 503 && { headers: { 'retry-after': '1' } }),
    };
  if (standing.is === 'forbidden')
    return {
      status: 403,
      body: `${JSON.stringify(standing.user)} may not get /metrics; bind it to a ClusterRole with the rule {nonResourceURLs: ["/metrics"], verbs: ["get"]}\n`,
    };
  return {
    status: 401,
    body: 'send a bearer token of Kubernetes that is valid for its API server\n',
    headers: { 'www-authenticate': 'Bearer' },
  };
}
