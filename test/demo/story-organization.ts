import { readFile } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import type { PrivateEndpoint } from '../simulator/organization-types.ts';
import type { Call } from '../simulator/types.ts';
import { ORGANIZATION } from '../support/examples.ts';
import type { Ledger } from '../support/organizations.ts';
import type { Shown } from './objects.ts';
import { hasCondition, readyOf, type Stage } from './stage.ts';
import type { Step } from './story.ts';

/** A list that others change as well. */
export const organizations: readonly Step[] = [
  { title: 'An organization', play: newOrganization },
  { title: 'Private endpoints come and go', play: exchange },
  { title: 'Somebody changes the name', play: renamed },
  { title: 'One of two endpoints is refused', play: refusedEndpoint },
];

/** For the end: an operator that was restarted since did not itself add what it removes. */
export const takingBack: readonly Step[] = [
  { title: 'An organization object is deleted', play: takeBack },
];

const FILE = 'deploy/examples/organization.yaml';
const PLACE = { cloudProvider: 'gcp', region: 'ap-northeast-1' };
const THEIRS = { id: 'vpc-by-hand', ...PLACE };
const NAME = 'Acme Data';
const OTHER_NAME = 'Acme Old';
/** A PATCH that changes nothing. */
const LOOK = { add: [], remove: [] };
/** What the example declares, and what takes its place. */
const FIRST = { id: '102600141743718403', ...PLACE };
const SECOND = { id: 'vpc-reports', ...PLACE };
const [GOOD, BAD] = [
  { id: 'vpc-orders', ...PLACE },
  { id: 'vpc-ordres', ...PLACE },
];

async function newOrganization(stage: Stage): Promise<void> {
  await stage.tell(
    'An organization has a name and private endpoints, and others work on it too. Somebody adds an endpoint by hand, with a key of their own:',
  );
  await stage.someone.add({ ...THEIRS, description: 'added by hand' });
  await stage.tell('Then an object that declares the name, and one endpoint:');
  await stage.apply(await readFile(FILE, 'utf8'), FILE);
  const acme = await stage.becomes('porg/acme', 'Applied');
  const calls = stage.newCalls();
  stage.check(
    'Three PATCHes: one that changes nothing, because only a reply shows what the API has; the name, which was another one; the endpoint that was missing',
    isDeepStrictEqual(changesOf(calls), [LOOK, { name: NAME }, { add: [FIRST.id] }]),
    calls,
  );
  stage.check(
    `status.privateEndpoints is the ledger: ${FIRST.id} is Added and so may be removed one day; the one of somebody else is not in it`,
    isDeepStrictEqual(ledgerOf(acme), [`${FIRST.id} Added Present`]),
    acme.status,
  );
  checkHeld(stage, 'The API has both', [THEIRS, FIRST]);
}

async function exchange(stage: Stage): Promise<void> {
  await stage.tell('The endpoint is replaced by another one in Git:');
  await stage.edit('porg/acme', { privateEndpoints: [SECOND] });
  const acme = await stage.becomes('porg/acme', 'Applied');
  const calls = stage.newCalls();
  stage.check(
    'Two PATCHes: the API is looked at first, since others may have been at work; then one adds the one and removes the other',
    isDeepStrictEqual(changesOf(calls), [LOOK, { add: [SECOND.id], remove: [FIRST.id] }]),
    calls,
  );
  stage.check(
    `The ledger has ${SECOND.id} alone`,
    isDeepStrictEqual(ledgerOf(acme), [`${SECOND.id} Added Present`]),
    acme.status,
  );
  checkHeld(stage, `The endpoint of somebody else, ${THEIRS.id}, was left alone`, [THEIRS, SECOND]);
}

async function renamed(stage: Stage): Promise<void> {
  await stage.tell(
    'Somebody gives the organization another name, and the operator is asked to look again:',
  );
  await stage.someone.rename(OTHER_NAME);
  await stage.kubectl(['annotate', 'porg/acme', 'pipewright.dev/reconcile-requested-at=now']);
  const acme = await stage.becomes(
    'porg/acme',
    'Applied',
    ({ status }) => status['drift'] !== undefined,
  );
  const calls = stage.newCalls();
  stage.check(
    'Two PATCHes: the look showed the other name, and the declared one was put back',
    isDeepStrictEqual(changesOf(calls), [LOOK, { name: NAME }]),
    calls,
  );
  const drift = acme.status['drift'] as readonly { readonly field: string; readonly to?: string }[];
  stage.check(
    `It was on record before it was overwritten: status.drift says that the name was “${OTHER_NAME}”`,
    isDeepStrictEqual(
      drift.map(({ field, to }) => ({ field, to })),
      [{ field: 'name', to: OTHER_NAME }],
    ),
    drift,
  );
}

async function refusedEndpoint(stage: Stage): Promise<void> {
  await stage.tell(
    'Two more are declared. One id is mistyped, and the API refuses the change as a whole:',
  );
  stage.simulator.play({ organization: { refusedIds: [BAD.id] } });
  await stage.edit('porg/acme', { privateEndpoints: [SECOND, GOOD, BAD] });
  const refused = await stage.becomes('porg/acme', 'Rejected');
  const { message } = readyOf(refused);
  await stage.tell(`The condition says: “${message}”`);
  stage.check(
    'Stalled, and the refused endpoint is named: the rest was sent without it',
    hasCondition(refused, 'Stalled') && message.includes(BAD.id) && !message.includes(GOOD.id),
    { message, calls: stage.newCalls() },
  );
  checkHeld(stage, `The good one, ${GOOD.id}, is in`, [THEIRS, SECOND, GOOD]);
  await stage.tell('Without the mistyped one:');
  await stage.edit('porg/acme', { privateEndpoints: [SECOND, GOOD] });
  const acme = await stage.becomes('porg/acme', 'Applied');
  const calls = stage.newCalls();
  stage.check(
    'Ready again, and one look was enough for it',
    !hasCondition(acme, 'Stalled') && isDeepStrictEqual(changesOf(calls), [LOOK]),
    calls,
  );
}

async function takeBack(stage: Stage): Promise<void> {
  await stage.tell(
    'By default, deleting an object leaves everything at the API as it is. This one is to take its endpoints along:',
  );
  await stage.edit('porg/acme', { deletionPolicy: 'RemovePrivateEndpoints' });
  await stage.becomes('porg/acme', 'Applied', ({ metadata }) => finalizersOf(metadata).length > 0);
  stage.newCalls();
  await stage.kubectl(['delete', 'porg/acme']);
  await stage.gone('porg/acme');
  const calls = stage.newCalls();
  stage.check(
    'A look, and one PATCH that removes the two endpoints that the object added. The operator that added them was another process: the ledger in status told this one',
    isDeepStrictEqual(changesOf(calls), [LOOK, { remove: [SECOND.id, GOOD.id] }]),
    calls,
  );
  checkHeld(stage, `${THEIRS.id} is still there`, [THEIRS]);
}

interface Patch {
  readonly name?: string;
  readonly privateEndpoints?: {
    readonly add?: readonly PrivateEndpoint[];
    readonly remove?: readonly PrivateEndpoint[];
  };
}

/** What each PATCH asks for: a name, and the ids to add and to remove. */
function changesOf(
  calls: readonly Call[],
): { readonly name?: string; readonly add?: string[]; readonly remove?: string[] }[] {
  return calls.map(({ body }) => {
    const { name, privateEndpoints: { add, remove } = {} } = body as Patch;
    return {
      ...(name !== undefined && { name }),
      ...(add && { add: add.map(({ id }) => id) }),
      ...(remove && { remove: remove.map(({ id }) => id) }),
    };
  });
}

function ledgerOf({ status }: Shown): string[] {
  const ledger = (status['privateEndpoints'] ?? []) as readonly Ledger[];
  return ledger.map(({ id, origin, state }) => `${id} ${origin} ${state}`);
}

function finalizersOf(
  metadata: Shown['metadata'] & { readonly finalizers?: readonly string[] },
): readonly string[] {
  return metadata.finalizers ?? [];
}

/** Checks that the API has these endpoints and no others. */
function checkHeld(
  stage: Stage,
  claim: string,
  expected: readonly { readonly id: string }[],
): void {
  const held = stage.simulator.organization(ORGANIZATION)?.privateEndpoints ?? [];
  const ids = (endpoints: readonly { readonly id: string }[]) =>
    endpoints.map(({ id }) => id).toSorted();
  stage.check(claim, isDeepStrictEqual(ids(held), ids(expected)), held);
}
