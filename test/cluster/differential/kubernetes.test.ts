import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { newNamespace } from '../../controlplane/client.ts';
import { ensureCrds } from '../../support/crd.ts';
import { Client } from './client.ts';
import { creationOf, type Operation, operations, type Place } from './operations.ts';
import { realServer, simulatedServer } from './servers.ts';

/** Created at the end of each sequence: the watches of its collection have brought all by then. */
const LAST: readonly Place[] = [
  { plural: 'pipesettings', name: 'last' },
  { plural: 'organizations', name: 'last' },
];

const real = realServer();
beforeAll(ensureCrds);

it("the simulation's API server answers and tells of changes as a kube-apiserver does", async () => {
  await fc.assert(
    fc.asyncProperty(operations, async (sequence) => {
      const [left, right] = await Promise.all([
        newNamespace().then((namespace) => told(new Client(real, namespace), sequence)),
        told(new Client(simulatedServer(), 'team-a'), sequence),
      ]);
      expect(right).toEqual(left);
    }),
    // To shorten a sequence takes minutes here, and what a busy machine did once is not there again.
    { numRuns: 60, seed: 1, endOnFailure: true },
  );
});

/** What a server answers to each operation, and what watches bring. */
async function told(client: Client, sequence: readonly Operation[]): Promise<unknown[]> {
  const answers: unknown[] = [];
  for (const at of LAST) await client.send({ type: 'list', at });
  for (const operation of sequence) answers.push([operation, await client.send(operation)]);
  for (const at of LAST) {
    await client.send(creationOf(at));
    answers.push(await client.watch(at));
  }
  return answers;
}
