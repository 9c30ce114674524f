import { describe, expect, test } from 'vitest';
import type { Kubectl } from '../../src/cli/cluster/kubectl.ts';
import { type Context, checkFlags, namespaceOf } from '../../src/cli/command.ts';
import { importFromStatus } from '../../src/cli/import/from-status.ts';
import { importOrganization } from '../../src/cli/import/organization.ts';
import { importPipe } from '../../src/cli/import/pipe.ts';
import { plan } from '../../src/cli/plan/plan.ts';
import { request } from '../../src/cli/request/request.ts';
import { UserError } from '../../src/cli/user-error.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { fakeTerminal } from '../support/fake-terminal.ts';

/** What is refused before anybody is asked: a context in which asking fails the test. */
function contextWith(env: Context['env'] = {}): Context & { readonly said: string[] } {
  const said: string[] = [];
  const asked = (): never => {
    throw new Error('kubectl was run');
  };
  const kubectl: Kubectl = {
    run: asked,
    succeed: asked,
    get: asked,
    find: asked,
    post: asked,
    follow: asked,
    currentNamespace: asked,
  };
  return {
    kubectl,
    terminal: fakeTerminal({ print: (text) => void said.push(text) }),
    clock: new FakeClock(),
    version: 'test',
    env,
    stop: new AbortController().signal,
    said,
  };
}

/** The one sentence that the user reads. */
async function refusal(run: Promise<unknown>): Promise<string> {
  try {
    await run;
  } catch (error) {
    if (error instanceof UserError) return error.message;
    throw error;
  }
  throw new Error('it was not refused');
}

const ORGANIZATION = '0b1d7c52-91a4-4f0e-8a3b-6f1e2d3c4b5a';
const API = { apiUrl: 'https://api.example.com' };
const KEY = { PIPEWRIGHT_KEY_ID: 'canary-id', PIPEWRIGHT_KEY_SECRET: 'canary-secret' };

describe('import organization refuses before any call', () => {
  test.each<[string, string, object, Context['env'], string]>([
    [
      'another spelling of the id',
      ORGANIZATION.toUpperCase(),
      API,
      KEY,
      'organizationId must be a UUID in lower case with hyphens, 36 characters, not "0B1D',
    ],
    ['an id that climbs', '../../keys', API, KEY, 'organizationId must be a UUID'],
    [
      'no key',
      ORGANIZATION,
      API,
      {},
      'there is no API key: name the Secret that holds it with --secret, or set PIPEWRIGHT_KEY_ID and PIPEWRIGHT_KEY_SECRET in the environment',
    ],
    [
      'half a key',
      ORGANIZATION,
      API,
      { PIPEWRIGHT_KEY_ID: 'canary-id' },
      'or set PIPEWRIGHT_KEY_SECRET in the environment',
    ],
    [
      'id and secret swapped',
      ORGANIZATION,
      API,
      { ...KEY, PIPEWRIGHT_KEY_ID: 'canary:id' },
      'The API key in the environment cannot be used: the API key id contains ":"',
    ],
    [
      'a key of two lines',
      ORGANIZATION,
      API,
      { ...KEY, PIPEWRIGHT_KEY_SECRET: 'canary\nsecret' },
      'its key "PIPEWRIGHT_KEY_SECRET" contains control characters',
    ],
    [
      'no address',
      ORGANIZATION,
      {},
      KEY,
      '--api-url is missing; give the base address of the management API',
    ],
    [
      'http to elsewhere',
      ORGANIZATION,
      { apiUrl: 'http://api.example.com' },
      KEY,
      '--api-url: "http://api.example.com": http would send the keys in clear text',
    ],
    [
      'an address with a password',
      ORGANIZATION,
      { apiUrl: 'https://me:canary@api.example.com' },
      KEY,
      'must not carry a user name or password',
    ],
    [
      'certificates that nobody checks',
      ORGANIZATION,
      API,
      { ...KEY, NODE_TLS_REJECT_UNAUTHORIZED: '0' },
      'turns the check of every certificate off',
    ],
    [
      'no CA file',
      ORGANIZATION,
      { ...API, apiCaFile: '/nowhere.pem' },
      KEY,
      '--api-ca-file: the file "/nowhere.pem" does not exist',
    ],
    [
      'a broken proxy',
      ORGANIZATION,
      API,
      { ...KEY, HTTPS_PROXY: 'socks5://proxy:1' },
      'HTTPS_PROXY: "socks5://proxy:1" has the scheme socks5',
    ],
    [
      'a name that no object can have',
      ORGANIZATION,
      { ...API, name: 'Acme Data' },
      KEY,
      '--name: "Acme Data" is not a name',
    ],
    [
      'a Secret that none can be',
      ORGANIZATION,
      { ...API, secret: 'A B' },
      KEY,
      'credentialsSecretRef.name must be the name of a Secret',
    ],
    [
      'keys of no Secret',
      ORGANIZATION,
      { ...API, keyIdKey: 'id' },
      KEY,
      '--key-id-key and --key-secret-key need --secret',
    ],
  ])('%s', async (_, id, flags, env, says) => {
    const context = contextWith(env);
    const message = await refusal(importOrganization(context, [id], flags));
    expect(message).toContain(says);
    expect(message + context.said.join()).not.toMatch(/canary|Sending/);
  });

  test('the other flags of the operator in the environment have no say', async () => {
    const env = {
      PIPEWRIGHT_API_RATE: 'nonsense',
      PIPEWRIGHT_LEADER_ELECT: 'maybe',
      PIPEWRIGHT_API_URL: 'ftp://x',
    };
    expect(await refusal(importOrganization(contextWith(env), [ORGANIZATION], {}))).toBe(
      'PIPEWRIGHT_API_URL: "ftp://x": the scheme ftp is not supported; use https',
    );
  });
});

test.each([
  [['', 's', 'p'], 'organizationId must be 1 to 128 letters'],
  [['o', 'a/b', 'p'], 'serviceId must be 1 to 128 letters'],
])('import pipe %s', async (ids, says) => {
  expect(await refusal(importPipe(contextWith(), ids, {}))).toContain(says);
});

test.each([
  [undefined, 'say what to import: "organization ID"'],
  ['pod/x', '"pod" is not a kind of Pipewright'],
  ['pset', '"pset" names no object; write it as pset/NAME'],
])('import --from-status %s', async (fromStatus, says) => {
  const flags = { namespace: 'ingest', ...(fromStatus !== undefined && { fromStatus }) };
  expect(await refusal(importFromStatus(contextWith(), [], flags))).toContain(says);
});

describe('plan refuses', () => {
  const offline = { filename: ['x.yaml'], output: 'text', offline: true };
  test.each<[object, string]>([
    [{ filename: ['x.yaml', ''] }, '-f is empty; name files or folders with it, or - for stdin'],
    [{ apiUrl: 'nonsense' }, '--api-url: "nonsense" is not a URL; write it like https://'],
    [{ dryRun: 'client' }, '--dry-run=client is not known; give one of server, none'],
    [{ dryRun: 'server' }, '--dry-run asks the cluster, and --offline does not; give one'],
    [{ serverSide: true }, '--server-side asks the cluster, and --offline does not'],
    [{ prune: true, selector: 'a=b' }, '--prune asks the cluster, and --offline does not'],
    [{ operatorNamespace: 'a' }, '--operator-namespace asks the cluster, and --offline does not'],
  ])('--offline with %j', async (flags, says) => {
    expect(await refusal(plan(contextWith(), { ...offline, ...flags }))).toContain(says);
  });
});

describe('suspend refuses, and never takes all objects unasked', () => {
  const flags = { timeout: '5m', output: 'text' as const, namespace: 'ingest' };
  test.each<[string[], object, string]>([
    [[], {}, 'say which objects: name them, such as pset/orders'],
    [['pset'], {}, 'say which objects'],
    [[], { allNamespaces: true }, 'say which objects'],
    [['pset/good'], { allNamespaces: true }, 'a name and -A do not go together'],
    [
      ['pset/good'],
      { all: true },
      '"pset/good" is not a kind of Pipewright; with --all or -l give none or some of pset, porg, pact',
    ],
    [['pod/x'], {}, '"pod" is not a kind of Pipewright'],
    [['pset/good', 'orders'], {}, '"orders" is not a kind of Pipewright'],
    [['pset/'], {}, 'names no object'],
    [
      ['pset/good'],
      { timeout: 'soon' },
      '--timeout: "soon" is not a duration; give one from 1s to 24h',
    ],
    [
      ['pset/good'],
      { reason: 'notfound' },
      '"notfound" is not a reason that Ready can have; give one of Pending',
    ],
  ])('%s %s', async (words, more, says) => {
    const about = { verb: 'suspend', words, flags: { ...flags, ...more } } as const;
    expect(await refusal(request(contextWith(), about))).toContain(says);
  });
});

describe('a name that nobody can have, or none', () => {
  const flags = { timeout: '5m', output: 'text' as const, namespace: 'ingest' };

  test.each([
    [{ selector: '' }, '-l is empty, which would choose every object; give labels'],
    [{ selector: ' \t' }, '-l is empty'],
    [{ namespace: '' }, '-n: "" is not the name of a namespace'],
    [{ namespace: '..' }, '-n: ".." is not the name of a namespace'],
    [{ namespace: 'a/b' }, '-n: "a/b" is not'],
    [{ operatorNamespace: '' }, '--operator-namespace: "" is not'],
  ])('%j', async (given, says) => {
    expect(await refusal((async () => checkFlags(given))())).toContain(says);
  });

  test('the others pass', () => {
    const given = { selector: 'team=', namespace: 'a-1', operatorNamespace: 'pipewright' };
    expect(() => checkFlags(given)).not.toThrow();
    expect(() => checkFlags({})).not.toThrow();
  });

  test.each(['..', '.', 'A', 'a b', 'a?b', 'a\nb'])('pset/%j', async (name) => {
    const about = { verb: 'retry', words: [`pset/${name}`], flags } as const;
    expect(await refusal(request(contextWith(), about))).toContain(
      `${JSON.stringify(name)} is not a name that an object can have`,
    );
  });

  test('in the kubeconfig', async () => {
    const kubectl = { currentNamespace: async () => '../kube-system' };
    expect(await refusal(namespaceOf(kubectl, {}))).toContain(
      'the namespace of the kubeconfig: "../kube-system" is not',
    );
  });
});

describe('what is to be pasted is for the same cluster', () => {
  const flags = { namespace: 'ingest', context: 'a b', kubeconfig: '/k' };

  test('import pipe', async () => {
    const context = contextWith();
    await importPipe(context, [ORGANIZATION, ORGANIZATION, 'orders'], flags);
    const told = context.said.join('\n');
    const connection = "-n ingest --kubeconfig=/k '--context=a b'";
    expect(told).toContain(`kubectl pipewright explain pset/orders ${connection};`);
    expect(told).toContain(
      `kubectl pipewright import --from-status pset/orders ${connection} prints`,
    );
  });

  test('import --from-status', async () => {
    const metadata = { name: 'orders', namespace: 'ingest', uid: 'u', resourceVersion: '1' };
    const spec = {
      organizationId: ORGANIZATION,
      serviceId: ORGANIZATION,
      pipeId: 'orders',
      credentialsSecretRef: { name: 'key' },
      settings: { engine_max_threads: 8 },
    };
    const context = contextWith();
    const kubectl = { ...context.kubectl, get: async <T>() => ({ metadata, spec }) as T };
    const given = { ...flags, fromStatus: 'pset/orders' };
    expect(await refusal(importFromStatus({ ...context, kubectl }, [], given))).toContain(
      "kubectl pipewright explain pset/orders -n ingest --kubeconfig=/k '--context=a b'",
    );
  });
});
