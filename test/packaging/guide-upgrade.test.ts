import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitFor } from '../controlplane/client.ts';
import { findProgram } from '../controlplane/programs.ts';
import { pageBlocks } from '../support/page.ts';
import { type AdminWorld, openAdminWorld, PATIENCE_MS, walkPage } from './admin-world.ts';
import { BUILD_MS, CHART, HELMS } from './helm.ts';

const BEFORE = join(import.meta.dirname, 'chart-before', 'pipewright.tar.gz');
/** As somebody wrote them for the chart before. */
const VALUES_BEFORE = {
  api: { url: 'https://api.example.com' },
  replicas: 2,
  image: { repository: 'registry.example.com/pipewright', pullSecrets: ['registry'] },
  crds: { install: true },
};
const NEWER_FIELD = 'ofANewerVersion';
const LEDGER = [
  {
    id: 'ours',
    cloudProvider: 'gcp',
    region: 'ap-northeast-1',
    origin: 'Added',
    state: 'Present',
  },
];

interface Known {
  readonly metadata: { readonly uid: string; readonly generation: number };
  readonly spec: object;
  readonly status: {
    readonly privateEndpoints: readonly Readonly<Record<string, unknown>>[];
  };
}

interface Deployment {
  readonly metadata: { readonly generation: number };
  readonly spec: { readonly replicas: number; readonly template: { readonly spec: object } };
  readonly status: { readonly observedGeneration?: number };
}

let world: AdminWorld;
let newer: string;

beforeAll(async () => {
  await findProgram('kube-controller-manager');
  world = await openAdminWorld();
  newer = join(world.own.folder, 'newer');
  await makeNewer(newer);
  await world.succeed('kubectl create namespace ingest');
}, BUILD_MS);
afterAll(() => world.end());

/** Each installs anew, with the CRDs that the one before it has left. */
describe.each(HELMS)('with %s', (helm) => {
  let before: { readonly organization: Known; readonly uids: string };

  const release = (args: string): Promise<string> =>
    world.succeed(`${helm} ${args} --namespace pipewright`);
  const organization = async (): Promise<Known> =>
    JSON.parse(
      await world.succeed('kubectl -n ingest get organizations.pipewright.dev acme -o json'),
    ) as Known;
  const known = ({ metadata: { uid, generation }, spec, status }: Known): object => ({
    uid,
    generation,
    spec,
    status,
  });
  const uids = (): Promise<string> =>
    world.succeed(
      'kubectl get crd,deployments,serviceaccounts,clusterroles -n pipewright -o jsonpath="{range .items[*]}{.metadata.name}={.metadata.uid} {end}"',
    );
  const patchStatus = (status: object): Promise<string> =>
    world.succeed(
      `kubectl -n ingest patch organizations.pipewright.dev acme --subresource=status --type=merge --patch='${JSON.stringify({ status })}'`,
    );
  const newerField = async (): Promise<unknown> =>
    (await organization()).status.privateEndpoints[0]?.[NEWER_FIELD];

  test(
    'the chart of before has objects with a status',
    async () => {
      await writeFile(join(world.own.folder, 'values.json'), JSON.stringify(VALUES_BEFORE));
      await release(
        `install pipewright ${BEFORE} --create-namespace --values ${join(world.own.folder, 'values.json')}`,
      );
      await waitFor(() => world.succeed('kubectl apply -f deploy/examples/organization.yaml'), {
        what: 'the kind to be served',
      });
      await patchStatus({ privateEndpoints: LEDGER });
      before = { organization: await organization(), uids: await uids() };
      expect(before.organization.status.privateEndpoints).toEqual(LEDGER);
    },
    PATIENCE_MS,
  );

  test(
    'an upgrade with the values of before leaves every object as it is, and rolls its one Deployment once at most',
    async () => {
      const notes = await release(`upgrade pipewright ${CHART} --reset-then-reuse-values`);
      for (const name of ['replicas', 'crds.install', 'image.pullSecrets'])
        expect(notes).toContain(`\n  ${name} is now `);
      expect(known(await organization())).toEqual(known(before.organization));
      expect(await uids()).toBe(before.uids);
      const deployment = async (): Promise<Deployment> =>
        JSON.parse(
          await world.succeed('kubectl get deployment pipewright -n pipewright -o json'),
        ) as Deployment;
      const { spec } = await waitFor(deployment, {
        what: 'the Deployment to be looked at',
        until: ({ metadata, status }) => status.observedGeneration === metadata.generation,
      });
      const sets = await world.succeed('kubectl get replicasets -n pipewright -o name');
      expect(sets.trim().split('\n').length, 'one more at most').toBeLessThanOrEqual(2);
      expect(spec.replicas).toBe(2);
      expect(spec.template.spec).toMatchObject({ imagePullSecrets: [{ name: 'registry' }] });
    },
    PATIENCE_MS,
  );

  test(
    'helm rollback hides a field that only the newer CRD has, and the next write takes it away',
    async () => {
      const forward = `upgrade pipewright ${newer} --reset-then-reuse-values`;
      await release(forward);
      const endpoint = { ...LEDGER[0], [NEWER_FIELD]: 'kept' };
      const written = async (): Promise<unknown> => {
        await patchStatus({ privateEndpoints: [endpoint] });
        return newerField();
      };
      const isThere = { what: 'the field', until: (value: unknown): boolean => value === 'kept' };
      const isHidden = {
        what: 'no field',
        until: (value: unknown): boolean => value === undefined,
      };
      await waitFor(written, isThere);

      await release('rollback pipewright 2');
      await waitFor(newerField, isHidden);
      await release(forward);
      await waitFor(newerField, isThere);

      await release('rollback pipewright 2');
      await waitFor(newerField, isHidden);
      await patchStatus({ observedGeneration: 1 });
      await release(forward);
      await waitFor(() => world.succeed('kubectl get crd organizations.pipewright.dev -o yaml'), {
        what: 'the newer CRD',
        until: (text) => text.includes(NEWER_FIELD),
      });
      await patchStatus({ observedGeneration: 2 });
      expect(await newerField()).toBeUndefined();
      await waitFor(written, isThere);
    },
    PATIENCE_MS,
  );

  test(
    'going back by an upgrade that leaves the CRDs alone keeps it, and forward again takes them up',
    async () => {
      // The values of before have the earlier name.
      const back = '--reset-then-reuse-values --set crds.install=null,crds.enabled=false';
      await release(`upgrade pipewright ${CHART} ${back}`);
      await patchStatus({ observedGeneration: 3 });
      expect(await newerField()).toBe('kept');
      expect((await world.ours()).filter((name) => name.startsWith('custom'))).toHaveLength(3);
      expect(await world.succeed('kubectl get clusterroles -o name')).toMatch(
        /pipewright-edit\n(.*\n)*.*pipewright-view/,
      );

      await release(
        `upgrade pipewright ${newer} --reset-then-reuse-values --set crds.enabled=true`,
      );
      await patchStatus({ observedGeneration: 4 });
      expect(await newerField()).toBe('kept');
      expect(await release('get manifest pipewright')).toContain('kind: CustomResourceDefinition');
      expect((await organization()).metadata).toMatchObject({
        uid: before.organization.metadata.uid,
        generation: before.organization.metadata.generation,
      });
    },
    PATIENCE_MS,
  );

  test(
    'uninstalled, the CRDs, their objects and the roles for users stay',
    async () => {
      await release('uninstall pipewright');
      await waitFor(() => world.ours(), {
        what: 'nothing but the CRDs and the roles',
        until: (left) => left.every((name) => /^custom|-(edit|view)$/.test(name)),
        timeoutMs: PATIENCE_MS,
      });
      expect(await world.ours()).toHaveLength(5);
      expect((await organization()).metadata.uid).toBe(before.organization.metadata.uid);
    },
    PATIENCE_MS,
  );
});

describe('upgrade.md', () => {
  const installed = `helm install pipewright ${CHART} --namespace pipewright --create-namespace --set api.url=https://api.example.com`;
  walkPage(pageBlocks('deploy/guides/upgrade.md'), () => world, {
    Helm: { before: () => world.succeed(installed) },
    kubectl: { before: () => world.succeed('helm uninstall pipewright --namespace pipewright') },
    'Go back with Helm': {
      before: () => world.succeed(`${installed} --take-ownership --force-conflicts`),
    },
  });
});

/** A later chart, whose ledger has one more field. */
async function makeNewer(folder: string): Promise<void> {
  await cp(CHART, folder, { recursive: true });
  const chart = join(folder, 'Chart.yaml');
  await writeFile(
    chart,
    (await readFile(chart, 'utf8')).replaceAll('ersion: 0.1.0', 'ersion: 0.2.0'),
  );
  const crd = join(folder, 'templates/crds/organizations.yaml');
  const text = await readFile(crd, 'utf8');
  const origin = /^( +)origin:\n/m.exec(text.slice(text.indexOf('\n          status:')));
  if (!origin) throw new Error('the CRD has no origin in its status');
  const indent = origin[1] ?? '';
  const field = `${indent}${NEWER_FIELD}:\n${indent}  type: string\n`;
  await writeFile(
    crd,
    text.replace(origin[0], () => field + origin[0]),
  );
}
