import { expect, onTestFinished, test } from 'vitest';
import { change } from '../support/cluster.ts';
import { openScene } from '../support/scene.ts';
import { settled } from '../support/watching.ts';

test('with --secret-selector no other Secret is used, whoever names it, until it is labelled', async () => {
  const scene = await openScene({
    flags: ['--secret-selector', 'pipewright.dev/credentials=true'],
  });
  onTestFinished(() => scene.end());
  const label = (name: string, value: string): Promise<void> =>
    change(`/api/v1/namespaces/${scene.namespace}/secrets/${name}`, (stored) => ({
      ...stored,
      metadata: { ...stored.metadata, labels: { 'pipewright.dev/credentials': value } },
    }));
  await label('management-api', 'true');
  const pair = await scene.newKey('database-password');
  await scene.psets.create('sly', { credentialsSecretRef: { name: 'database-password' } });
  const refused = await scene.psets.until('sly', 'SecretForbidden');
  expect(refused.status.conditions[0]?.message).toContain(
    '--secret-selector pipewright.dev/credentials=true',
  );
  await settled(scene);
  const callsWithIt = () => scene.simulator.calls().filter(({ keyId }) => keyId === pair.id);
  expect(callsWithIt()).toEqual([]);

  await label('database-password', 'true');
  await scene.psets.until('sly', 'Applied');
  expect(callsWithIt()).toHaveLength(1);
});
