import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { pageBlocks } from '../../support/page.ts';
import { type Desk, install, openDesk } from './desk.ts';
import { follow } from './follow.ts';
import { type GuideObjects, guideObjects } from './objects.ts';

/** The commands for each alert, then those of the policies, which would refuse the rest. */
const ORDERS = '/apis/pipewright.dev/v1alpha1/namespaces/ingest/pipesettings/orders';
const NEW = { keyId: 'new-id', keySecret: 'new-secret' };

let desk: Desk;
let objects: GuideObjects;

beforeAll(async () => {
  desk = await openDesk({ simulator: { keys: { [NEW.keyId]: NEW.keySecret } } });
  objects = guideObjects(desk.own, 'ingest');
  await install(desk);
  await desk.succeed('kubectl create namespace ingest');
  await objects.key('management-api', NEW);
  await desk.succeed('kubectl apply -f deploy/examples/pipesettings.yaml');
  await desk.node.sync();
  await objects.reasonIs(ORDERS, 'Applied');
});
afterAll(() => desk.end());

follow(pageBlocks('deploy/guides/runbook.md'), () => desk, {
  before: {
    PipewrightCredentialRefused: async () => {
      await objects.editSpec(ORDERS, { suspend: false });
      await objects.key('management-api', { keyId: 'old-id', keySecret: 'old-secret' });
      await objects.retryUntil(ORDERS, 'Unauthorized');
    },
    'PipewrightCredentialRefused >> kubectl -n ingest create secret': async () => {
      await writeFile(join(desk.folder, 'key-id'), NEW.keyId);
      await writeFile(join(desk.folder, 'key-secret'), NEW.keySecret);
    },
  },
  after: {
    'PipewrightNotReady >> kubectl -n ingest patch': () => objects.reasonIs(ORDERS, 'Suspended'),
    PipewrightCredentialRefused: () => objects.reasonIs(ORDERS, 'Applied'),
  },
});

follow(pageBlocks('deploy/policies/README.md'), () => desk);
