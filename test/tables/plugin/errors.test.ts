import { expect, test } from 'vitest';
import { folderOf } from '../../support/folder.ts';
import { ACME, PIPE, pipe, stored } from './objects.ts';
import { type Answers, pipewright } from './run.ts';

/** The message is all that a user gets, as one line. */
async function refusalOf(argv: readonly string[], answers?: Answers) {
  const { code, stdout, stderr, asked } = await pipewright(argv, answers);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/^error: .*\n$/);
  return { message: stderr, asked };
}

test.each([
  ['retry', 'say what to retry: names such as pset/orders, labels with -l, or every object'],
  ['suspend pset/a --timeout 5', '--timeout "5" is no time; write it as 90s, 10m or 1h'],
  ['retry --selector=', '-l is empty, which would select every object; give labels, or'],
  ['status --namespace=', '-n is empty; give the name of a namespace, or leave -n out'],
  ['status pset/a -A', 'pset/a: a name cannot be given together with -l or -A; leave out'],
  ['status pod/a', '"pod" is not a kind of Pipewright; name an object as one of pset/NAME'],
  ['export pact/a', 'Activity declares nothing that a reply could complete; name a'],
  ['plan -f /nowhere', '/nowhere: there is no such file or folder; check the path'],
  ['plan -f test/mutation', 'no file in this folder or below it ends in .yaml, .yml or .json;'],
  ['plan -f package.json', 'there is no object of Pipewright in it (1 of other kinds);'],
])('%s is refused before anything is asked', async (line, says) => {
  const { message, asked } = await refusalOf(line.split(' '));
  expect(message).toContain(says);
  expect(asked).toEqual([]);
});

test.each([
  ['a: [1', ':1: this is not valid YAML: '],
  ['a: 1\na: 2\n', ':2: this is not valid YAML: '],
  ['a: &a\n  b: *a\n', ':1: the aliases of this document cannot be followed: '],
])('%j is no YAML that kubectl can take', async (text, says) => {
  const folder = await folderOf({ 'a.yaml': text });
  expect((await refusalOf(['plan', '-f', folder])).message).toContain(says);
});

test.each<[string, object, string]>([
  ['porg/one', stored('Organization', ACME), 'porg/one shows no reply of the API yet, so there'],
  [
    'pset/one',
    stored('PipeSettings', { ...PIPE, pipeId: undefined }, { status: { settings: {} } }),
    'pset/one cannot be completed: spec.pipeId is required; correct its spec first',
  ],
])('%s, stored as %o, cannot be exported', async (name, object, says) => {
  expect((await refusalOf(['export', name], { get: object })).message).toContain(says);
});

const FORBIDDEN = 'Error from server (Forbidden):';
const PATCHING = 'error when applying patch:\n{}\nto:\nfor: "STDIN": error when patching "STDIN":';
test.each([
  ['Error from server (NotFound): no "a"', 'Error from server (NotFound): no "a"'],
  [
    'E1128 06:00:00.0 1 memcache.go:1] x\nWarning: old\nIt was refused\n',
    'error: It was refused\n',
  ],
  [`${FORBIDDEN} ${PATCHING} x is forbidden`, `${FORBIDDEN} x is forbidden`],
  [
    'error: no matches for kind "x"',
    'CRDs of Pipewright are not installed: kubectl pipewright check',
  ],
])('what kubectl says is passed on as one line: %j', async (stderr, says) => {
  const { message } = await refusalOf(['status', 'pset/a'], { get: { code: 1, stderr } });
  expect(message).toContain(says);
});

test('where some were changed before kubectl refused, it says how many', async () => {
  const elsewhere = pipe({ metadata: { name: 'two', namespace: 'other' } });
  const patched = { 'patch pipesettings.pipewright.dev/two': { code: 1, stderr: 'refused' } };
  const answers = { get: { items: [pipe(), elsewhere] }, ...patched, patch: '4\n' };
  const { message } = await refusalOf(['suspend', '-A'], answers);
  expect(message).toBe('error: refused; 1 of 2 were changed\n');
});
