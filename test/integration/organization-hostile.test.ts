import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { audit } from '../controlplane/client.ts';
import { strangers } from '../simulator/organization-types.ts';
import { leaks, spellings } from '../support/canary.ts';
import { asAdmin } from '../support/cluster.ts';
import { KEY_ID, SECRET } from '../support/hostile-rows.ts';
import type { InnerOperator } from '../support/inner-operator.ts';
import { endpoint, inventoryOf, type Org, type Organizations } from '../support/organizations.ts';
import { answerText, type RawServer, startRawServer } from '../support/raw-server.ts';
import { openScene, type Scene } from '../support/scene.ts';
import { ready } from '../support/watching.ts';

const FORMS = spellings(KEY_ID, SECRET);
const BASIC = Buffer.from(`${KEY_ID}:${SECRET}`).toString('base64');
const LONG = 'x'.repeat(20_000);
const ODD_TEXT = `a\u0000b\u001b[31mc\u2028d\ud800e\r\n‮${SECRET}`;

let scene: Scene;
let orgs: Organizations;
let operator: InnerOperator;
let server: RawServer;
/** What the server answers, by organization. */
const answers = new Map<string, string>();

beforeAll(async () => {
  server = await startRawServer(({ head }, socket) => {
    const id = /organizations\/([0-9a-f-]{36})/.exec(head)?.[1] ?? '';
    socket.write(answers.get(id) ?? answerText(404, '{}'));
  });
  scene = await openScene({ start: false, apiUrl: server.url });
  orgs = scene.orgs;
  await scene.secret('management-api', { keyId: KEY_ID, keySecret: SECRET });
  operator = await scene.startInner({ flags: ['--api-timeout', '2s'] });
});

afterAll(() => Promise.all([scene.end(), server.stop()]));

/**
 * Writes of the operator that the API server refused, but for those that somebody else was quicker
 * than.
 */
async function refusedWrites({ user }: Scene): Promise<unknown[]> {
  const writes = await audit({ user, resource: 'organizations' });
  return writes.filter(
    ({ verb, code }) => verb !== 'get' && code >= 400 && code !== 404 && code !== 409,
  );
}

/** Whether it shows that this generation was tried. */
function isJudged({ status, metadata }: Org): boolean {
  return status.conditions.some(
    ({ type, reason, observedGeneration }) =>
      type === 'Ready' && reason !== 'Pending' && observedGeneration === metadata.generation,
  );
}

function expectHarmless(object: Org): void {
  const { status } = object;
  const text = JSON.stringify(status);
  expect(Buffer.byteLength(text)).toBeLessThan(256 * 1024);
  expect(leaks({ status: text }, FORMS)).toEqual([]);
  const told = JSON.stringify([status.conditions, status.lastRequest]);
  expect(told).not.toMatch(/\\u00[01]|\\[rn]|[\u2028\u2029]|<html|<!doctype/i);
  for (const { message } of status.conditions)
    expect([...message].length).toBeLessThanOrEqual(1_024);
}

interface Result {
  readonly name: string;
  readonly result: unknown;
  /** As JSON text, where no value stands for it. */
  readonly text?: string;
  readonly ends: string;
  /** The list says that the endpoint is there; absent: where it ends Applied. */
  readonly listed?: boolean | string;
}

const entry = { ...endpoint('a'), description: '' };
const whole = {
  id: 'x',
  name: 'Acme',
  createdAt: 'now',
  privateEndpoints: [entry],
  byocConfig: [],
};

const RESULTS: readonly Result[] = [
  { name: 'is empty', result: {}, ends: 'NotConfirmed' },
  { name: 'is a list', result: [whole], ends: 'UnexpectedResponse' },
  { name: 'is a text', result: SECRET, ends: 'UnexpectedResponse' },
  {
    name: 'has a list that is a text',
    result: { ...whole, privateEndpoints: SECRET },
    ends: 'NotConfirmed',
  },
  {
    name: 'has a list that is an object',
    result: { ...whole, privateEndpoints: { 0: entry, length: 1 } },
    ends: 'NotConfirmed',
  },
  {
    name: 'has a name that is no text',
    result: { ...whole, name: { toString: 'Acme' } },
    ends: 'Applied',
  },
  {
    name: 'has wrong types everywhere',
    result: {
      id: 7,
      name: 'Acme',
      createdAt: [1],
      privateEndpoints: [entry, 5, true, [], { id: {} }, { id: ['a'], region: 7 }],
      byocConfig: [null, 3, { id: 1, state: {} }],
    },
    ends: 'Applied',
  },
  {
    name: 'has 10,000 endpoints',
    result: { ...whole, privateEndpoints: [...strangers(10_000), entry] },
    ends: 'Applied',
  },
  {
    name: 'has one endpoint 2,000 times',
    result: { ...whole, privateEndpoints: Array.from({ length: 2_000 }, () => entry) },
    ends: 'Applied',
  },
  {
    name: 'has endpoints without ids',
    result: {
      ...whole,
      privateEndpoints: [{ cloudProvider: 'gcp', region: 'ap-northeast-1' }, {}, { id: '' }],
    },
    ends: 'NotConfirmed',
  },
  {
    name: 'has endpoints without ids among others',
    result: { ...whole, privateEndpoints: [{ region: 'ap-northeast-1' }, entry, { id: null }] },
    ends: 'Applied',
  },
  {
    name: 'has ids in another case and with blanks',
    result: { ...whole, privateEndpoints: [{ ...entry, id: ' A ', region: 'AP-northeast-1' }] },
    ends: 'Applied',
    listed: ' A  Found Present',
  },
  {
    name: 'has the id in another region',
    result: { ...whole, privateEndpoints: [{ ...entry, region: 'eu-west-1' }] },
    ends: 'EndpointConflict',
  },
  {
    name: 'has the same endpoint in two spellings',
    result: { ...whole, privateEndpoints: [{ ...entry, id: 'A' }, entry] },
    ends: 'Applied',
    listed: 'A Found Present',
  },
  {
    name: 'has endpoints with no more than an id',
    result: { ...whole, privateEndpoints: [{ id: 'a' }] },
    ends: 'Applied',
  },
  {
    name: 'has endpoints of others with texts beyond all bounds',
    result: {
      ...whole,
      privateEndpoints: [
        entry,
        ...[1, 2, 3].map((n) => ({
          id: `${n}${LONG}`,
          cloudProvider: LONG,
          region: LONG,
          description: LONG,
        })),
      ],
    },
    ends: 'Applied',
  },
  {
    name: 'has control characters and the secret in every text',
    result: {
      id: ODD_TEXT,
      name: 'Acme',
      createdAt: ODD_TEXT,
      privateEndpoints: [
        { ...entry, description: ODD_TEXT },
        { id: ODD_TEXT, cloudProvider: ODD_TEXT, region: ODD_TEXT, description: ODD_TEXT },
      ],
      byocConfig: [{ id: ODD_TEXT, state: ODD_TEXT, accountName: ODD_TEXT }],
    },
    ends: 'Applied',
  },
  {
    name: 'has ids that are the key',
    result: {
      ...whole,
      privateEndpoints: [
        entry,
        ...[KEY_ID, SECRET, BASIC, encodeURIComponent(SECRET)].map((id) => endpoint(id)),
      ],
    },
    ends: 'Applied',
  },
  {
    name: 'has the secret for a name',
    result: { ...whole, name: SECRET },
    ends: 'NotConfirmed',
    listed: true,
  },
  {
    name: 'has thousands of configurations',
    result: {
      ...whole,
      byocConfig: Array.from({ length: 3_000 }, (_, n) => ({
        id: `byoc-${n}`,
        state: LONG.slice(0, 200),
      })),
    },
    ends: 'Applied',
  },
  {
    name: 'has fields that nobody knows',
    result: { ...whole, capabilities: { [SECRET]: [SECRET] }, enableCoreDumps: true },
    ends: 'Applied',
  },
  {
    name: 'has __proto__ for a list',
    result: null,
    text: '{"__proto__":{"privateEndpoints":[]},"constructor":{"name":"x"},"name":"Acme"}',
    ends: 'NotConfirmed',
  },
  {
    name: 'has __proto__ in its entries',
    result: null,
    text: '{"name":"Acme","privateEndpoints":[{"__proto__":{"id":"a","region":"r"}},{"id":"a","cloudProvider":"gcp","region":"ap-northeast-1","__proto__":{"description":"d"}}]}',
    ends: 'Applied',
  },
  {
    name: 'has numbers beyond all numbers',
    result: null,
    text: '{"name":"Acme","id":1e400,"privateEndpoints":[{"id":1e400,"region":-0},{"id":"a","cloudProvider":"gcp","region":"ap-northeast-1"}]}',
    ends: 'Applied',
  },
  {
    name: 'is deep',
    result: null,
    text: `{"name":"Acme","privateEndpoints":[{"id":"a","cloudProvider":"gcp","region":"ap-northeast-1"},${'['.repeat(20_000)}${']'.repeat(20_000)}]}`,
    ends: 'UnexpectedResponse',
  },
];

describe('an organization that', () => {
  test.each(RESULTS)('$name', async ({ result, text, ends, listed = ends === 'Applied' }) => {
    const id = randomUUID();
    const name = `result-${id.slice(0, 8)}`;
    const body = `{"status":200,"requestId":${JSON.stringify(SECRET)},"result":${text ?? JSON.stringify(result)}}`;
    answers.set(id, answerText(200, body));
    await orgs.create(name, {
      organizationId: id,
      name: 'Acme',
      privateEndpoints: [endpoint('a')],
    });
    const object = await orgs.untilIt(name, 'a verdict', isJudged);
    expect(ready(object).reason).toBe(ends);
    expectHarmless(object);
    expect(inventoryOf(object)).toEqual(
      listed ? [listed === true ? 'a Found Present' : listed] : [],
    );
    await orgs.remove(name);
  });
});

test('no status was refused, and no key is in logs, events or metrics', async () => {
  await operator.idle();
  expect(await refusedWrites(scene)).toEqual([]);
  const events = await asAdmin(
    'GET',
    `/apis/events.k8s.io/v1/namespaces/${scene.namespace}/events`,
  );
  const texts = {
    log: operator.messages.join('\n'),
    events: JSON.stringify(events),
    metrics: await operator.metrics(),
  };
  expect(texts.log).not.toMatch(/"level":"(error|fatal)"|^(error|fatal) /m);
  expect(leaks(texts, FORMS)).toEqual([]);
});
