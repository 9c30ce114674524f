import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createKubeClient } from '../../src/kube/client/client.ts';
import { reviewToken, type TokenStanding } from '../../src/kube/client/token-review.ts';
import { eventually } from '../support/eventually.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { aStatus, type Behaviour, sendJson, startKubeServer } from '../support/kube-server.ts';

async function rig(behaviour: Behaviour) {
  const server = await startKubeServer(behaviour);
  const clock = new FakeClock();
  const client = createKubeClient(server.cluster, { clock });
  onTestFinished(async () => {
    await client.close();
    await server.close();
  });
  const review = (): Promise<TokenStanding> => reviewToken(client, 'a-token', '/metrics');
  return { server, clock, review };
}

/** Answers the first question with one status and the second with another. */
function answering(first: unknown, second: unknown): Behaviour {
  return ({ url = '' }, response) =>
    sendJson(response, 201, { status: url.includes('tokenreviews') ? first : second });
}

const SOMEBODY = { authenticated: true, user: { username: 'somebody', groups: ['some'] } };

describe('a token counts', () => {
  test('where the API server knows its holder, asked as whom it knows', async () => {
    const bodies: unknown[] = [];
    const extra = { 'authentication.kubernetes.io/pod-name': ['prometheus-0'] };
    const user = { username: 'somebody', uid: 'u-1', groups: ['some', 'more'], extra };
    const { server, review } = await rig((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        bodies.push(JSON.parse(body));
        answering({ authenticated: true, user }, { allowed: true })(request, response);
      });
    });
    expect(await review()).toEqual({ is: 'allowed' });
    expect(server.requests).toEqual([
      'POST /apis/authentication.k8s.io/v1/tokenreviews',
      'POST /apis/authorization.k8s.io/v1/subjectaccessreviews',
    ]);
    const nonResourceAttributes = { path: '/metrics', verb: 'get' };
    expect(bodies).toMatchObject([
      { kind: 'TokenReview', spec: { token: 'a-token' } },
      {
        kind: 'SubjectAccessReview',
        spec: {
          user: 'somebody',
          uid: 'u-1',
          groups: ['some', 'more'],
          extra,
          nonResourceAttributes,
        },
      },
    ]);
    expect(JSON.stringify(bodies[1])).not.toContain('a-token');
  });

  test('for nothing else that an answer may say', async () => {
    let answers: Behaviour = () => undefined;
    const { review } = await rig((request, response) => answers(request, response));
    const odd = fc.oneof(fc.jsonValue(), fc.constantFrom('true', 1, [true], { allowed: 'true' }));
    const known = fc.oneof(
      odd,
      fc.constant(SOMEBODY),
      fc.record({ authenticated: odd, user: odd }),
    );
    const right = fc.oneof(odd, fc.record({ allowed: odd, denied: odd }));
    const isTrue = (value: unknown, field: string): boolean =>
      typeof value === 'object' &&
      value !== null &&
      (value as Record<string, unknown>)[field] === true;
    answers = answering({ ...SOMEBODY, authenticated: 'true' }, { allowed: true });
    expect(await review()).toEqual({ is: 'unauthenticated' });
    await fc.assert(
      fc.asyncProperty(known, right, async (first, second) => {
        fc.pre(!(isTrue(first, 'authenticated') && isTrue(second, 'allowed')));
        answers = answering(first, second);
        expect((await review()).is).not.toBe('allowed');
      }),
      { numRuns: 300 },
    );
    answers = answering(SOMEBODY, { allowed: true, denied: true });
    expect(await review()).toEqual({ is: 'forbidden', user: 'somebody' });
  });
});

describe('where the API server does not say', () => {
  test.each([
    [403, 500, 'subjectaccessreviews'],
    [401, 503, 'HTTP 401'],
    [404, 503, 'HTTP 404'],
    [429, 503, 'HTTP 429'],
    [500, 503, 'HTTP 500'],
  ])('but answers %i, that is %i, without its text', async (code, status, why) => {
    const { review } = await rig((_, response) =>
      sendJson(response, code, aStatus(code, 'Whatever', 'for 10.0.0.1 with a-token')),
    );
    const standing = await review();
    expect(standing).toMatchObject({ is: 'unknown', status });
    expect(JSON.stringify(standing)).toContain(why);
    expect(JSON.stringify(standing)).not.toMatch(/10\.0\.0\.1|a-token/);
  });

  test.each([1, 2])('and hangs at question %i, 3 s later that is 503', async (at) => {
    const { server, clock, review } = await rig((request, response) => {
      if (server.requests.length < at) answering(SOMEBODY, {})(request, response);
    });
    const standing = review();
    await eventually(() => expect(server.requests).toHaveLength(at));
    await clock.advance(3_000);
    expect(await standing).toMatchObject({ is: 'unknown', status: 503 });
  });
});
