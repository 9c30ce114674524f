import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { pageBlocks } from '../../support/page.ts';
import { type Desk, install, openDesk } from './desk.ts';
import { type Following, follow } from './follow.ts';
import { type GuideObjects, guideObjects } from './objects.ts';

/** The commands of running it and of each alert, then those of the policies, which would refuse the rest. */
const ORDERS = '/apis/pipewright.dev/v1alpha1/namespaces/ingest/pipesettings/orders';
const OLD = { keyId: 'old-id', keySecret: 'old-secret' };
const NEW = { keyId: 'new-id', keySecret: 'new-secret' };

let desk: Desk;
let objects: GuideObjects;

beforeAll(async () => {
  desk = await openDesk({ simulator: { keys: { [NEW.keyId]: NEW.keySecret } } });
  objects = guideObjects(desk.own, 'ingest');
  await install(desk);
  await desk.succeed('kubectl create namespace ingest');
  await objects.key('management-api', OLD);
  await desk.succeed('kubectl apply -f deploy/examples/pipesettings.yaml');
  await desk.node.sync();
  await objects.reasonIs(ORDERS, 'Unauthorized');
});
afterAll(() => desk.end());

const running = pageBlocks('deploy/guides/operate.md', 'Through a proxy', 'New keys', 'Alerts');

const following: Following = {
  before: {
    'New keys': async () => {
      await desk.succeed('kubectl -n ingest label secret management-api team=ingest');
      await writeFile(join(desk.folder, 'key.yaml'), JSON.stringify({ stringData: NEW }));
    },
    PipewrightCredentialRefused: async () => {
      await objects.key('management-api', OLD);
      await objects.retryUntil(ORDERS, 'Unauthorized');
    },
  },
  after: {
    'Through a proxy': async () => {
      const flags = await desk.succeed('kubectl -n pipewright get cm pipewright-flags -o yaml');
      expect(flags).toContain('HTTPS_PROXY: http://proxy.example.com:3128');
    },
    // What a person has put on the Secret stays, and no copy of the key is left anywhere.
    'New keys': async () => {
      await objects.retryUntil(ORDERS, 'Applied');
      const secret = await desk.succeed('kubectl -n ingest get secret management-api -o yaml');
      expect(secret).toContain('team: ingest');
      expect(secret).not.toContain('last-applied-configuration');
      await desk.succeed('test ! -e key.yaml');
    },
  },
};

follow(running, () => desk, following);
follow(pageBlocks('deploy/policies/README.md'), () => desk);
