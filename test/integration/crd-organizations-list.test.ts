import { beforeAll, expect, test } from 'vitest';
import { organizationType } from '../../src/kinds/organization/resource.ts';
import { newNamespace } from '../controlplane/client.ts';
import { goodOrganization as good, installCrd, manifest, succeed } from '../support/crd.ts';

/**
 * `[]`, a list and none mean three things: ours go, these are there, not managed. They must not
 * turn into one another.
 */
const endpoint = { id: 'psc-1', cloudProvider: 'gcp', region: 'ap-northeast-1' };

let namespace: string;

beforeAll(async () => {
  await installCrd('organizations');
  namespace = await newNamespace();
});

const json = (name: string, spec: unknown) =>
  JSON.stringify(manifest(organizationType, name, spec));
const stored = async (name: string) =>
  JSON.parse(await succeed(['get', 'porg', name, '-n', namespace, '-o', 'json'])).spec;

const states: Readonly<Record<string, unknown[] | undefined>> = {
  none: undefined,
  empty: [],
  one: [endpoint],
  two: [{ ...endpoint, id: 'psc-2', description: 'x' }, endpoint],
};
const specOf = (state: string) =>
  states[state] === undefined ? good : { ...good, privateEndpoints: states[state] };
const ways: Readonly<Record<string, (name: string, state: string) => Promise<string>>> = {
  'client-side apply': (name, state) =>
    succeed(['apply', '-n', namespace, '-f', '-'], json(name, specOf(state))),
  'server-side apply': (name, state) =>
    succeed(['apply', '--server-side', '-n', namespace, '-f', '-'], json(name, specOf(state))),
  'merge patch': async (name, state) => {
    const patch = JSON.stringify({ spec: { privateEndpoints: states[state] ?? null } });
    return succeed(['patch', 'porg', name, '-n', namespace, '--type=merge', '-p', patch]);
  },
};
/** A walk that takes every step from one state to another once, and ends where it began. */
const walk = 'none empty none one none two empty one empty two one two none'.split(' ');

test('the walk takes every step', () => {
  const steps = new Set(walk.slice(1).map((state, index) => `${walk[index]} to ${state}`));
  expect(steps.size).toBe(12);
});

test.for(Object.entries(ways))('[], a list and none are kept apart by %s', async ([way, write]) => {
  const name = `kept-${way.replaceAll(' ', '-')}`;
  if (way === 'merge patch')
    await succeed(['create', '-n', namespace, '-f', '-'], json(name, good));
  for (const [index, state] of walk.entries()) {
    await write(name, state);
    expect({ from: walk[index - 1], to: state, spec: await stored(name) }).toEqual({
      from: walk[index - 1],
      to: state,
      spec: specOf(state),
    });
  }
});
