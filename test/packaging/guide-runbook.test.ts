import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { pageBlocks } from '../support/page.ts';
import { follow } from './follow.ts';
import { type GuideObjects, guideObjects } from './guide-objects.ts';
import { type GuideWorld, install, openGuideWorld } from './guide-world.ts';
import { BUILD_MS } from './helm.ts';

/** The commands for each alert, then those of the policies: in force, they would refuse the rest. */
const ORDERS = '/apis/pipewright.dev/v1alpha1/namespaces/ingest/pipesettings/orders';
const OLD = { keyId: 'old-id', keySecret: 'old-secret' };
const NEW = { keyId: 'new-id', keySecret: 'new-secret' };

let world: GuideWorld;
let objects: GuideObjects;

beforeAll(async () => {
  world = await openGuideWorld({
    simulator: { keys: { [NEW.keyId]: NEW.keySecret } },
  });
  objects = guideObjects(world.own, 'ingest');
  await install(world);
  await world.succeed('kubectl create namespace ingest');
  await objects.key('management-api', NEW);
  await world.succeed('kubectl apply -f deploy/examples/pipesettings.yaml');
  await world.node.sync();
  await objects.reasonIs(ORDERS, 'Applied');
}, BUILD_MS);
afterAll(() => world.end());

async function refused(): Promise<void> {
  await objects.edit(ORDERS, ({ spec, ...rest }) => ({
    ...rest,
    spec: { ...spec, suspend: false },
  }));
  await objects.key('management-api', OLD);
  await objects.retryUntil(ORDERS, 'Unauthorized');
}

async function newKey(): Promise<void> {
  await writeFile(join(world.folder, 'key-id'), NEW.keyId);
  await writeFile(join(world.folder, 'key-secret'), NEW.keySecret);
}

follow(pageBlocks('deploy/guides/runbook.md'), () => world, {
  sync: () => world.node.sync(),
  before: {
    PipewrightCredentialRefused: refused,
    'PipewrightCredentialRefused >> kubectl -n ingest create secret': newKey,
  },
  after: {
    'PipewrightNotReady >> kubectl -n ingest patch': () => objects.reasonIs(ORDERS, 'Suspended'),
    PipewrightCredentialRefused: () => objects.reasonIs(ORDERS, 'Applied'),
  },
});

follow(pageBlocks('deploy/policies/README.md'), () => world);
