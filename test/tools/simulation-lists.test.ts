import { describe, expect, it } from 'vitest';
import { organization } from '../simulation/by-hand/objects.ts';
import type { HandRecord } from '../simulation/by-hand/record.ts';
import type { Thing } from '../simulation/kubernetes/objects.ts';

const ROOT = '/apis/pipewright.dev/v1alpha1';
const KEY = 'organizations/team-a/o7';

function thing(kind: string, resourceVersion: string): Thing {
  const metadata = {
    name: 'o7',
    namespace: 'team-a',
    uid: `uid of ${kind}`,
    resourceVersion,
    creationTimestamp: '2026-03-01T00:00:00Z',
  };
  return { kind, apiVersion: 'pipewright.dev/v1alpha1', metadata, spec: {} };
}

/** What the process one-1 is told by the API server, one request after the other. */
function told(record: HandRecord) {
  let id = 1_000;
  const answer = (path: string, says: object): void => {
    id += 1;
    const crossing = {
      id,
      host: 'one-1',
      request: { method: 'GET', path: `${ROOT}${path}`, headers: {}, body: '' },
    };
    record.life.kubernetesSide.left(crossing);
    record.life.kubernetesSide.answered(crossing, { status: 200, headers: {}, body: '', says });
  };
  return {
    lists: (plural: string, resourceVersion: string, ...items: readonly Thing[]): void =>
      answer(`/${plural}?limit=500`, { kind: 'List', metadata: { resourceVersion }, items }),
    reads: (object: Thing): void => answer('/namespaces/team-a/organizations/o7', object),
  };
}

describe('a list that is older than what a reply has shown', () => {
  it.each([
    ['counts where another collection has shown since that the server went back', 75, '9'],
    ['counts for nothing before that', 60, '12'],
  ] as const)('%s', async (_, listedAt, known) => {
    const record = organization({ name: 'A' });
    const { lists, reads } = told(record);
    await record.until(1);
    lists('organizations', '10', thing('Organization', '9'));
    lists('pipesettings', '20', thing('PipeSettings', '19'));
    await record.until(2);
    reads(thing('Organization', '12'));
    for (const at of [10, 71]) {
      if (at > listedAt) break;
      await record.until(at);
      lists('pipesettings', '10', thing('PipeSettings', '9'));
    }
    await record.until(listedAt);
    lists('organizations', '10', thing('Organization', '9'));
    expect(record.life.knowledge.of('one-1').get(KEY)?.thing?.metadata.resourceVersion).toBe(known);
  });
});
