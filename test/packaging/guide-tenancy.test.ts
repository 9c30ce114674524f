import { afterAll, beforeAll, expect, test } from 'vitest';
import { waitFor } from '../controlplane/client.ts';
import { pageBlocks } from '../support/page.ts';
import { startControllers } from './controllers.ts';
import { follow } from './follow.ts';
import { type GuideWorld, install, openGuideWorld } from './guide-world.ts';
import { BUILD_MS } from './helm.ts';

/** The page in a cluster with the controllers that add roles together and end namespaces. */
let world: GuideWorld;
let controllers: Awaited<ReturnType<typeof startControllers>>;

beforeAll(async () => {
  world = await openGuideWorld({ programs: { helm: 'helm' } });
  controllers = await startControllers(world.own);
  await install(world);
  await world.node.sync();
}, BUILD_MS);
afterAll(async () => {
  await controllers.stop();
  await world.end();
});

const ANNA = '--as=anna --as-group=team-ingest';

/** The policy with what the page has put into it: the API server hears of both a moment later. */
async function inForce(): Promise<void> {
  const foreign = `sed 's/0b1d7c52/11111111/' deploy/examples/organization.yaml | kubectl create --dry-run=server -f - ${ANNA}`;
  await waitFor(() => world.shell(foreign), {
    what: 'the policy on organizations',
    until: ({ stderr }) => stderr.includes('(spec.organizationId), but 0b1d7c52'),
  });
}

follow(pageBlocks('deploy/guides/tenancy.md'), () => world, {
  sync: () => world.node.sync(),
  before: { 'Give a namespace to a team >> kubectl apply -f deploy/examples': inForce },
  endsWith: {
    'What the team cannot do': 1,
    'A team with its own operator >> kubectl auth can-i get secrets/another': 1,
    'A team with its own operator >> kubectl auth can-i list': 1,
  },
});

test('in the end nothing is left of the namespace', async () => {
  const { code, stderr } = await world.own.kubectl(['get', 'namespace', 'ingest']);
  expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringMatching('not found') });
});
