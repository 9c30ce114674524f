import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import * as object from './plugin/objects.ts';
import { type Answers, pipewright } from './plugin/run.ts';

const { ACME, endpoint, listing, manifest, PIPE, RECORD, stored, UUID, verified } = object;

const APPLY = 'apply --dry-run=server -o json -f -';

/** Plans these objects against the cluster; each document is one line. */
async function plan(objects: readonly object[], answers: Answers, flags: readonly string[] = []) {
  const file = join(await temporaryFolder(), 'all.yaml');
  await writeFile(file, objects.map((one) => `${JSON.stringify(one)}\n`).join('---\n'));
  const ran = await pipewright(['plan', '-f', file, '--dry-run=server', ...flags], answers);
  const named = (text: string): string => text.replaceAll(file, 'all.yaml');
  return { ...ran, stdout: named(ran.stdout), stderr: named(ran.stderr) };
}

type Stored = ReturnType<typeof stored>;

/** What the plan says of one object that the API server would store like this. */
async function planOf(live: Stored) {
  const { kind, spec, metadata } = live;
  const { name, namespace } = metadata;
  const written = manifest(kind, spec, { name, namespace });
  const answers = { [APPLY]: live };
  const { code, stdout } = await plan([written], answers, ['-o', 'json']);
  const { objects } = JSON.parse(stdout);
  const { does, says, changes, requests } = objects[0];
  return {
    code,
    does,
    says,
    changes: changes.map(({ field }: { readonly field: string }) => field),
    requests: requests.map(({ body }: { readonly body: string }) => body),
  };
}

const EDITED = { ready: 'False', reason: 'Rejected' } as const;
const shownPipe = { verified, settings: { engine_max_threads: 4, engine_max_insert_threads: 2 } };
const applied = { time: '2026-03-01T11:00:00Z', generation: 2, requestId: 'r', keys: [] };
const pipe = (spec: object, status: object, told: Parameters<typeof stored>[2] = EDITED) =>
  stored('PipeSettings', { ...PIPE, ...spec }, { ...told, status });
const owned = (...ids: readonly string[]) => ({
  verified,
  ...listing(...ids),
  privateEndpoints: ids.map((id) => ({ ...endpoint(id), origin: 'Added', state: 'Present' })),
});
const organization = (spec: object, status: object) =>
  stored('Organization', { ...ACME, ...spec }, { ...EDITED, status });
const LOOK = '{"privateEndpoints":{"add":[],"remove":[]}}';
const tuple = (id: string) => `{"cloudProvider":"gcp","id":"${id}","region":"r1"}`;

describe('the plan against a live object', () => {
  test.each<[string, Stored, Awaited<ReturnType<typeof planOf>>]>([
    [
      'a pipe: the whole body, and what differs from the last response',
      pipe({ settings: { engine_max_threads: 8, engine_max_insert_threads: 2 } }, shownPipe),
      {
        code: 2,
        does: 'send',
        says: 'One PUT with 2 settings',
        changes: ['engine_max_threads'],
        requests: ['{"engine_max_insert_threads":2,"engine_max_threads":8}'],
      },
    ],
    [
      'an organization: the look, the name, then all adds and removals',
      organization(
        { name: 'Acme Data', privateEndpoints: [endpoint('b'), endpoint('c')] },
        owned('a', 'b'),
      ),
      {
        code: 2,
        does: 'send',
        says: '3 PATCH requests, one after another: read the list, then set the name, add 1 private endpoint, remove 1 private endpoint',
        changes: ['name', 'privateEndpoints[c]', 'privateEndpoints[a]'],
        requests: [
          LOOK,
          '{"name":"Acme Data"}',
          `{"privateEndpoints":{"add":[${tuple('c')}],"remove":[${tuple('a')}]}}`,
        ],
      },
    ],
    [
      'an organization with more removals than its cap: the look alone',
      organization({ maxPrivateEndpointRemovals: 1, privateEndpoints: [] }, owned('a', 'b')),
      {
        code: 2,
        does: 'blocked',
        says: 'One PATCH that reads the list of private endpoints, and nothing else: 2 private endpoints would be removed (a, b), more than spec.maxPrivateEndpointRemovals allows',
        changes: ['privateEndpoints[a]', 'privateEndpoints[b]'],
        requests: [LOOK],
      },
    ],
    [
      'what is confirmed already',
      pipe({}, { ...shownPipe, applied }, {}),
      {
        code: 0,
        does: 'nothing',
        says: 'The declared state is the one last confirmed, so nothing is sent',
        changes: [],
        requests: [],
      },
    ],
  ])('%s', async (_, live, expected) => {
    expect(await planOf(live)).toEqual(expected);
  });

  const deleted = { metadata: { deletionTimestamp: '2026-03-01T11:00:00Z' } };
  const rival = { ready: 'False', reason: 'TargetConflict' } as const;
  test.each<[string, Stored, string, string, number]>([
    ['suspend', pipe({ suspend: true }, {}), 'withheld', 'spec.suspend is true', 1],
    ['mode Plan', pipe({ mode: 'Plan' }, {}), 'withheld', 'spec.mode is Plan', 1],
    ['another owner', pipe({}, {}, rival), 'withheld', 'another object owns its target', 1],
    ['its deletion', pipe({}, {}, deleted), 'nothing', 'It is being deleted', 0],
    [
      'its record',
      stored('Activity', RECORD, { status: { activity: { id: 'a-b' } } }),
      'nothing',
      'The record is fetched already',
      0,
    ],
  ])('%s keeps anything from being sent', async (_, live, does, why, requests) => {
    const shown = await planOf(live);
    expect(shown).toMatchObject({ code: 0, does, says: expect.stringContaining(why) });
    expect(shown.requests).toHaveLength(requests);
  });

  test('a record that is not fetched is one GET', async () => {
    const live = stored('Activity', RECORD, EDITED);
    expect(await planOf(live)).toMatchObject({ code: 2, does: 'send' });
    const { stdout } = await plan([manifest('Activity', RECORD)], { [APPLY]: live });
    expect(stdout).toContain('    GET /v1/organizations/o/activities/a-b\n');
  });

  test('in words: which response it is compared with, and that an object is new', async () => {
    const lastRequest = { time: verified.time, requestId: 'req-1' };
    const edited = pipe({}, { ...shownPipe, lastRequest });
    const fresh = stored('PipeSettings', PIPE, { status: { observedGeneration: -1 } });
    const objects = [edited, fresh].map(({ kind, spec }) => manifest(kind, spec));
    const { stdout } = await plan(objects, { [APPLY]: { items: [edited, fresh] } });
    expect(stdout).toContain(
      'Changes, compared with the response of 2026-03-01T11:00:00Z (1h ago, request req-1):\n    engine_max_threads: 4 → 8\n',
    );
    expect(stdout).toContain('\nPipeSettings ingest/one (new), all.yaml:3\n');
  });
});

describe('where the API server refuses', () => {
  const two = [manifest('PipeSettings', PIPE), manifest('PipeSettings', PIPE)];
  const said = (stderr: string): Answers => ({ apply: { code: 1, stderr } });

  test('who is refused is found by halves, and its content is not repeated', async () => {
    const why = 'The request is invalid: patch: Invalid value: "{"a": 1}": json: cannot unmarshal';
    const { code, stderr, asked, stdout } = await plan(two, said(why), ['-n', 'x']);
    const kept = 'the API server refuses it: The request is invalid: patch: Invalid value: json';
    expect([code, asked.length]).toEqual([1, 3]);
    expect(stdout.match(/not valid: all\.yaml:\d+: .*/g)).toEqual([
      `not valid: all.yaml:1: ${kept}: cannot unmarshal`,
      `not valid: all.yaml:3: ${kept}: cannot unmarshal`,
    ]);
    expect(stderr).toContain('(and 1 more, see the plan)');
  });

  test('the line is that of the field which it names', async () => {
    const file = join(await temporaryFolder(), 'a.yaml');
    await writeFile(file, JSON.stringify(manifest('PipeSettings', PIPE), null, 2));
    const why =
      'The PipeSettings "one" is invalid: spec.pipeId: Forbidden: is immutable; create another';
    const args = ['plan', '-f', file, '--dry-run=server', '-n', 'x'];
    const { stderr } = await pipewright(args, said(why));
    expect(stderr).toBe(`error: not valid: ${file}:10: the API server refuses it: ${why}\n`);
  });

  test.each([
    'error validating data: failed to download openapi: connection refused',
    'Unable to connect to the server: dial tcp: no such host',
    'error: You must be logged in to the server (Unauthorized)',
  ])('one that cannot be asked is asked once: %s', async (why) => {
    const { code, stdout, stderr, asked } = await plan(two, said(why), ['-n', 'x']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toBe(`error: ${why.replace(/^error: /, '')}\n`);
    expect(asked).toHaveLength(1);
  });

  test('an object of a namespace that is not there yet is planned as a new one', async () => {
    const why = 'Error from server (NotFound): namespaces "soon" not found';
    const { code, stdout } = await plan(two.slice(1), said(why), ['-n', 'soon']);
    expect([code, stdout.split('\n')[2]]).toEqual([2, 'PipeSettings soon/one (new), all.yaml:1']);
  });
});
