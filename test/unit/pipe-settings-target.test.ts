import { describe, expect, test } from 'vitest';
import { targetOf } from '../../src/kinds/pipe-settings/resource.ts';
import { aPipeSettings } from '../support/objects.ts';

describe('the pipe of an object', () => {
  const ids = (organizationId: unknown, serviceId: unknown, pipeId: unknown) =>
    targetOf(aPipeSettings({ rawSpec: { organizationId, serviceId, pipeId } }));

  test('is the same for the same ids, whatever else the spec says and whether or not it is valid', () => {
    expect(targetOf(aPipeSettings())).toBe(
      targetOf(aPipeSettings({ namespace: 'far', spec: { settings: { engine_max_threads: 1 } } })),
    );
    expect(ids('org', 'service', 'pipe')).toBe(targetOf(aPipeSettings()));
  });

  test('is another where any id is, also where the ids only look alike when put together', () => {
    const targets = [
      ids('a', 'b', 'c'),
      ids('a', 'b', 'd'),
      ids('a', 'd', 'c'),
      ids('d', 'b', 'c'),
      ids('a","b', 'c', ''),
      ids('a', 'b","c', ''),
    ];
    expect(new Set(targets).size).toBe(targets.length);
  });

  test('is none without a spec', () => {
    expect(targetOf(aPipeSettings({ rawSpec: undefined }))).toBeUndefined();
  });
});
