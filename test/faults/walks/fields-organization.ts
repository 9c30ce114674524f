import { expect } from 'vitest';
import { asAdmin } from '../../support/cluster.ts';
import { endpoint, type Organizations, type Tuple } from '../../support/organizations.ts';
import type { Effect, Lab } from './fields-effects.ts';

/** An organization where somebody else has an endpoint. */
function open({ make, name }: Lab): Organizations & { readonly id: string } {
  const id = make.targetOf(name)['organizationId'] ?? '';
  make.scene.simulator.setOrganization(id, {
    name: 'Before',
    add: [{ ...endpoint('theirs'), description: '' }],
  });
  return { ...make.scene.orgs, id };
}

const NAMELESS = { name: undefined };

export const renames: Effect = async (lab) => {
  const { make, name } = lab;
  const { id, held, patches } = open(lab);
  for (const wanted of ['Acme', 'Acme Europe']) {
    await make.create(name, { name: wanted });
    await make.until(name, 'Applied');
    expect(patches(id).at(-1)?.name).toBe(wanted);
    expect(held(id).name).toBe(wanted);
  }
};

/**
 * With another one of the three it is another endpoint: the former is removed, this one is added.
 */
export function isPartOfEndpoint(field: keyof Tuple): Effect {
  return async (lab) => {
    const { make, name } = lab;
    const { id, held } = open(lab);
    const others = held(id).privateEndpoints;
    for (const value of ['one', 'another']) {
      const wanted = endpoint('ours', { [field]: value });
      await make.create(name, { ...NAMELESS, privateEndpoints: [wanted] });
      await make.until(name, 'Applied');
      expect(held(id).privateEndpoints).toEqual([...others, wanted]);
    }
  };
}

/** It goes with an add; a change later on is said and not sent. */
export const describes: Effect = async (lab) => {
  const { make, name } = lab;
  const { id, held, patches } = open(lab);
  await make.create(name, {
    ...NAMELESS,
    privateEndpoints: [endpoint('ours', { description: 'first' })],
  });
  await make.until(name, 'Applied');
  expect(held(id).privateEndpoints.at(-1)?.description).toBe('first');
  const before = patches(id).length;
  await make.create(name, {
    ...NAMELESS,
    privateEndpoints: [endpoint('ours', { description: 'second' })],
  });
  const { status } = await make.until(name, 'Applied');
  const field = expect.stringContaining('ours') as string;
  expect(status['differences']).toEqual([{ field, declared: 'second', reported: 'first' }]);
  for (const { privateEndpoints } of patches(id).slice(before)) {
    expect([...(privateEndpoints?.add ?? []), ...(privateEndpoints?.remove ?? [])]).toEqual([]);
  }
};

/** Whether what was there before and is listed goes when it is listed no longer. */
export const adopts: Effect = async (lab) => {
  const { make, name } = lab;
  const { id, ids } = open(lab);
  for (const [adoptPrivateEndpoints, left] of [
    [false, ['theirs']],
    [true, []],
  ] as const) {
    await make.create(name, {
      ...NAMELESS,
      adoptPrivateEndpoints,
      privateEndpoints: [endpoint('theirs')],
    });
    await make.until(name, 'Applied');
    await make.create(name, { ...NAMELESS, adoptPrivateEndpoints, privateEndpoints: [] });
    await make.until(name, 'Applied');
    expect(ids(id)).toEqual(left);
  }
};

/** A change that would remove more is not made. */
export const limitsRemovals: Effect = async (lab) => {
  const { make, name } = lab;
  const { id, ids } = open(lab);
  await make.create(name, { ...NAMELESS, privateEndpoints: [endpoint('ours')] });
  await make.until(name, 'Applied');
  await make.create(name, { ...NAMELESS, privateEndpoints: [], maxPrivateEndpointRemovals: 0 });
  await make.until(name, 'RemovalBlocked');
  expect(ids(id)).toEqual(['theirs', 'ours']);
  await make.create(name, { ...NAMELESS, privateEndpoints: [], maxPrivateEndpointRemovals: 1 });
  await make.until(name, 'Applied');
  expect(ids(id)).toEqual(['theirs']);
};

/** Whether deletion of the object takes back what it added. */
export const cleansUp: Effect = async (lab) => {
  const { make, name } = lab;
  const { id, ids, untilGone } = open(lab);
  for (const [deletionPolicy, left] of [
    ['Retain', ['theirs', 'kept']],
    ['RemovePrivateEndpoints', ['theirs', 'kept']],
  ] as const) {
    const wanted = deletionPolicy === 'Retain' ? 'kept' : 'passing';
    await make.create(name, { ...NAMELESS, deletionPolicy, privateEndpoints: [endpoint(wanted)] });
    await make.until(name, 'Applied');
    expect(ids(id)).toContain(wanted);
    await asAdmin('DELETE', make.pathTo(name));
    await untilGone(name);
    expect(ids(id)).toEqual(left);
  }
};
