import { describe, expect, test } from 'vitest';
import { folderOf } from '../../support/folder.ts';
import * as object from './objects.ts';
import { type Answers, pipewright } from './run.ts';

const { ACME, endpoint, failed, listing, manifest, PIPE, pipe, stored } = object;

/** Plans these objects against the cluster; each document is one line. */
async function plan(objects: readonly object[], answers: Answers, ...flags: readonly string[]) {
  const text = objects.map((one) => `${JSON.stringify(one)}\n`).join('---\n');
  const folder = await folderOf({ 'all.yaml': text });
  return pipewright(['plan', '-f', folder, '--dry-run=server', ...flags], answers);
}

type Stored = ReturnType<typeof stored>;

/** What the plan says of one object that the API server would store like this. */
async function planOf(live: Stored) {
  const answers = { 'apply --dry-run=server -o json -f -': live };
  const { code, stdout } = await plan([manifest(live.kind, live.spec)], answers, '-o', 'json');
  return { code, ...JSON.parse(stdout).objects[0] };
}

const verified = { time: '2026-03-01T11:00:00Z', apiHash: 'a' };
/** It owns two, and lists none. */
const own = ['a', 'b'].map((id) => ({ ...endpoint(id), origin: 'Added', state: 'Present' }));
const empty = { ...ACME, maxPrivateEndpointRemovals: 1, privateEndpoints: [] };
const blocked = stored('Organization', empty, {
  ...failed('Rejected'),
  status: { verified, ...listing('a', 'b'), privateEndpoints: own },
});

const confirmed = (generation: number) => ({ status: { applied: { generation } } });
const deleted = { metadata: { deletionTimestamp: verified.time } };
const fetched = { status: { activity: { id: 'record' } } };
test.each<[string, Stored, string, number]>([
  ['2 private endpoints would be removed (a, b)', blocked, 'blocked', 1],
  ['spec.suspend is true', pipe({}, { suspend: true }), 'withheld', 1],
  ['spec.mode is Plan', pipe({}, { mode: 'Plan' }), 'withheld', 1],
  ['another object owns its target', pipe(failed('TargetConflict')), 'withheld', 1],
  ['It is being deleted', pipe(deleted), 'nothing', 0],
  ['The declared state is the one last confirmed', pipe(confirmed(2)), 'nothing', 0],
  ['The record is fetched already', stored('Activity', object.RECORD, fetched), 'nothing', 0],
])('nothing is changed where %s', async (why, live, does, requests) => {
  const told = await planOf(live);
  const code = does === 'blocked' ? 2 : 0;
  expect(told).toMatchObject({ code, does, says: expect.stringContaining(why) });
  expect(told.requests).toHaveLength(requests);
});

test.each<[string, Stored]>([
  ['an earlier generation was confirmed', pipe(confirmed(1))],
  [
    'it was confirmed, and a later attempt failed',
    pipe({ ...failed('Rejected'), ...confirmed(2) }),
  ],
])('it is sent where %s', async (_, live) => {
  expect(await planOf(live)).toMatchObject({
    code: 2,
    does: 'send',
    says: expect.stringMatching(/^One PUT/),
  });
});

describe('where the API server refuses', () => {
  const two = [manifest('PipeSettings', PIPE), manifest('PipeSettings', PIPE)];
  const said = (stderr: string): Answers => ({ apply: { code: 1, stderr } });

  test('who is refused is found by halves, and its content is not repeated', async () => {
    const why = 'The request is invalid: patch: Invalid value: "{"a": 1}": json: cannot unmarshal';
    const { code, asked, stdout } = await plan(two, said(why), '-n', 'x');
    expect([code, asked.length]).toEqual([1, 3]);
    const kept = 'the API server refuses it: The request is invalid: patch: Invalid value: json: c';
    expect(stdout).toContain(`all.yaml:1: ${kept}`);
    expect(stdout).toContain(`all.yaml:3: ${kept}`);
  });

  test('one that cannot be asked is asked once', async () => {
    const why = 'error validating data: failed to download openapi: connection refused';
    const { code, stdout, stderr, asked } = await plan(two, said(why));
    expect([code, stdout, stderr, asked.length]).toEqual([1, '', `error: ${why}\n`, 1]);
  });

  test('an object of a namespace that is not there yet is planned as a new one', async () => {
    const why = 'Error from server (NotFound): namespaces "soon" not found';
    const { code, stdout } = await plan(two.slice(1), said(why), '-n', 'soon');
    expect([code, stdout]).toEqual([2, expect.stringContaining('PipeSettings soon/one (new), ')]);
  });
});
