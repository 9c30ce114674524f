import { afterAll, beforeAll, expect, test } from 'vitest';
import { waitFor } from '../../controlplane/wait-for.ts';
import { pageBlocks } from '../../support/page.ts';
import { type Desk, install, openDesk } from './desk.ts';
import { follow } from './follow.ts';

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk({ programs: ['helm'], controllers: true });
  await install(desk);
  await desk.node.sync();
});
afterAll(() => desk.end());

const ANNA = '--as=anna --as-group=team-ingest';

/** The policy with what the page has put into it: the API server hears of both a moment later. */
async function inForce(): Promise<void> {
  const foreign = `sed 's/0b1d7c52/11111111/' deploy/examples/organization.yaml | kubectl create --dry-run=server -f - ${ANNA}`;
  await waitFor(() => desk.shell(foreign), {
    what: 'the policy on organizations',
    until: ({ stderr }) => stderr.includes('(spec.organizationId); allowed here: 0b1d7c52'),
  });
}

follow(pageBlocks('deploy/guides/security.md'), () => desk, {
  before: { 'Give a namespace to a team >> kubectl apply -f deploy/examples': inForce },
  endsWith: {
    'Give a namespace to a team >> kubectl auth': 1,
    'Give a namespace to a team >> sed': 1,
    'What teams share >> kubectl auth can-i get secrets/another': 1,
    'What teams share >> kubectl auth can-i list': 1,
  },
});

test('in the end nothing is left of the namespace', async () => {
  const { code, stderr } = await desk.own.kubectl(['get', 'namespace', 'ingest']);
  expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringMatching('not found') });
});
