import { describe, expect, it } from 'vitest';
import type { Thing } from '../simulation/kubernetes/objects.ts';
import { Knowledge } from '../simulation/record/knowledge.ts';

const KEY = 'organizations/team-a/o1';

function version(resourceVersion: string, name: string): Thing {
  const metadata = {
    name: 'o1',
    namespace: 'team-a',
    uid: 'u-1',
    resourceVersion,
    creationTimestamp: '2026-03-01T00:00:00Z',
  };
  return { kind: 'Organization', apiVersion: 'pipewright.dev/v1alpha1', metadata, spec: { name } };
}

describe('what a process knows after versions have gone back', () => {
  const LOST = version('7', 'of a version that the restore has taken back');
  const NEW = version('7', 'of the same version, given once more');
  const NEWER = version('8', 'of later');

  it.each([
    ['the one given once more, told after the lost one', [LOST, NEW], NEW, NEW],
    ['the same, where the server has gone on', [LOST, NEW], NEWER, NEW],
    ['not the lost one, where that is told later', [NEW, LOST], NEW, NEW],
  ] as const)('is %s', (_, told, stored, known) => {
    const knowledge = new Knowledge(() => stored);
    knowledge.forget();
    for (const [at, thing] of told.entries())
      knowledge.see({ what: 'seen', process: 'one-1', key: KEY, thing, at });
    expect(knowledge.of('one-1').get(KEY)?.thing).toBe(known);
  });

  it('is the first of two that differ under one version, where they never went back', () => {
    const knowledge = new Knowledge(() => NEW);
    for (const [at, thing] of [LOST, NEW].entries())
      knowledge.see({ what: 'seen', process: 'one-1', key: KEY, thing, at });
    expect(knowledge.of('one-1').get(KEY)?.thing).toBe(LOST);
  });
});
