import { describe, expect, test } from 'vitest';
import { failureOf } from '../../src/cli/cluster/kubectl-failure.ts';

const ARGS = ['get', '--raw', '/api'];

/** As kubectl 1.36 prints them. */
test.each<[reason: string, stderr: string]>([
  ['NotFound', 'Error from server (NotFound): pipesettings.pipewright.dev "timeout" not found'],
  [
    'NotFound',
    'Error from server (NotFound): error when creating "STDIN": namespaces "a" not found',
  ],
  ['NoSuchKind', 'Error from server (NotFound): the server could not find the requested resource'],
  ['NoSuchKind', `error: the server doesn't have a resource type "pipesettings"`],
  [
    'NoSuchKind',
    'error: resource mapping not found for name: "a" namespace: "" from "STDIN": no matches for kind "PipeSettings" in version "pipewright.dev/v1alpha1"\nensure CRDs are installed first',
  ],
  ['Forbidden', 'Error from server (Forbidden): secrets is forbidden: User "eof" cannot list'],
  [
    'Forbidden',
    'Error from server (Forbidden): error when retrieving current configuration of:\nResource: "/v1, Resource=configmaps", GroupVersionKind: "/v1, Kind=ConfigMap"\nName: "a", Namespace: "default"\nfrom server for: "STDIN": configmaps "a" is forbidden: User "bob" cannot get resource "configmaps"',
  ],
  ['Unauthorized', 'error: You must be logged in to the server (Unauthorized)'],
  [
    'Unauthorized',
    'error: You must be logged in to the server (the server has asked for the client to provide credentials)',
  ],
  [
    'Unauthorized',
    'Unable to connect to the server: getting credentials: exec: executable kubelogin-xyz not found\n\nIt looks like you are trying to use a client-go credential plugin that is not installed.',
  ],
  [
    'Unauthorized',
    'To sign in, open https://login.example.com and enter ABCD\nUnable to connect to the server: getting credentials: exec: executable login failed with exit code 1',
  ],
  [
    'Unauthorized',
    'error: error validating "STDIN": error validating data: failed to download openapi: Get "https://127.0.0.1:1/openapi/v2?timeout=32s": getting credentials: exec: executable false failed with exit code 1; if you choose to ignore these errors, turn validation off with --validate=false',
  ],
  ['Unreachable', 'Unable to connect to the server: dial tcp: lookup nope.invalid: no such host'],
  [
    'Unreachable',
    'E1126 08:46:32.321328   23510 memcache.go:265] "Unhandled Error" err="couldn\'t get current server API group list"\nThe connection to the server 127.0.0.1:1 was refused - did you specify the right host or port?',
  ],
  [
    'Unreachable',
    'error: error validating "STDIN": error validating data: failed to download openapi: Get "https://127.0.0.1:1/openapi/v2?timeout=32s": dial tcp 127.0.0.1:1: connect: connection refused; if you choose to ignore these errors, turn validation off with --validate=false',
  ],
  ['Unreachable', 'error: EOF'],
  [
    'Unreachable',
    'Error from server (Timeout): the server was unable to return a response in time',
  ],
  // What others say decides nothing.
  [
    'Other',
    'Error from server (InternalError): Internal error occurred: failed calling webhook "w": Post "https://w.ns.svc:443/": dial tcp: connect: connection refused',
  ],
  [
    'Other',
    `The PipeSettings "x" is invalid: : ValidatingAdmissionPolicy 'p' with binding 'b' denied request: is forbidden: certificate not found\nUnable to connect to the server: EOF`,
  ],
  ['Other', 'Error from server (BadRequest): unable to parse requirement: not found, timeout'],
  ['Other', 'Error from server (AlreadyExists): namespaces "refused" already exists'],
  ['Other', 'error: context "not-found-timeout" does not exist'],
  ['Other', 'error: stat /certificate/refused: no such file or directory'],
  ['Other', ''],
])('%s: %s', (reason, stderr) => {
  expect(failureOf(`${stderr}\n`, ARGS).reason).toBe(reason);
});

describe('what to do', () => {
  const says = (stderr: string): string => failureOf(stderr, ARGS).message;

  test('a right is asked for where one is missing, and not where a policy refused', () => {
    const right = 'pipesettings is forbidden: User "bob" cannot list resource "pipesettings"';
    expect(says(`Error from server (Forbidden): ${right}`)).toBe(
      `kubectl get /api: ${right}; ask for this right, or name another user with --context or --kubeconfig`,
    );
    expect(
      says('Error from server (Forbidden): admission webhook "w" denied the request: no'),
    ).toBe('kubectl get /api: admission webhook "w" denied the request: no');
  });

  test.each([
    ['stat /nope: no such file or directory'],
    ['context "nope" does not exist'],
    ['error loading config file "/bad": yaml: line 1: did not find expected node content'],
    ['invalid configuration: [context was not found for specified context: gone]'],
  ])('a kubeconfig that cannot be used is told without the call: %s', (why) => {
    expect(says(`error: ${why}`)).toBe(
      `the kubeconfig cannot be used: ${why}; check --kubeconfig and --context, or the variable KUBECONFIG`,
    );
  });

  test.each([
    ["unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
    ["found ')', expected: ',' or 'end of string'"],
  ])('labels that are none are told as they were given, without the call: %s', (why) => {
    const path = '/apis/pipewright.dev/v1alpha1/pipesettings?watch=1&labelSelector=a+b+c';
    const stderr = `Error from server (BadRequest): ${why}`;
    expect(failureOf(stderr, ['get', '--raw', path]).message).toBe(
      `-l "a b c": ${why}; give labels such as -l team=data`,
    );
  });

  test('a login program that is not there is named', () => {
    expect(
      says('Unable to connect to the server: getting credentials: exec: executable xyz not found'),
    ).toMatch(/executable xyz not found; the login program that the kubeconfig names gave no/);
  });
});

test('a message of others steers no terminal', () => {
  const stderr = 'Error from server (Invalid): a\u001b[2J\u202eb\rc\u009bd\n';
  expect(failureOf(stderr, ARGS).message).toBe('kubectl get /api: a [2J b c d');
});
