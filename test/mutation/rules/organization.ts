import { type Mutation, seenInLife } from '../mutation.ts';

const PROGRESS = 'test/unit/organization-progress.test.ts';
const LEDGER = 'test/unit/organization-ledger.test.ts';
const LAWS = 'test/unit/organization-ledger-laws.test.ts';
const DECIDE = 'test/unit/organization-decide.test.ts';
const NEXT_STEP = 'test/unit/organization-next-step.test.ts';
const LET_GO = 'test/unit/organization-let-go.test.ts';

/** Whose endpoint one is. */
const OWNERSHIP: readonly Mutation[] = [
  {
    name: 'found-is-never-removed',
    rule: 'An endpoint that was there before is never removed, also not on deletion.',
    file: 'kinds/organization/goal.ts',
    from: "return origin === 'Added' || origin === 'Adopted';",
    to: 'return origin !== undefined;',
    seenBy: { test: DECIDE, title: 'take away nothing that is ' },
  },
  {
    name: 'only-listed-is-adopted',
    rule: 'Only what the spec lists is adopted; all else would be removed at once.',
    file: 'kinds/organization/ledger/entries.ts',
    from: "goal.adopt && isListedIn(goal, tuple) ? 'Adopted'",
    to: "goal.adopt ? 'Adopted'",
    seenBy: {
      test: 'test/unit/organization-adoption.test.ts',
      title: 'is adopted where it is listed only: or it would be removed',
    },
  },
  {
    name: 'adoption-can-be-taken-back',
    rule: 'What was adopted is nobody’s again when the spec no longer says so.',
    file: 'kinds/organization/ledger/ledger.ts',
    from: 'if (adopt) return ledger;',
    to: 'if (ledger) return ledger;',
    seenBy: { test: LEDGER, title: 'taken back | there' },
  },
  {
    name: 'refused-add-makes-nothing-ours',
    rule: 'What is there after a refused add is not taken for ours.',
    file: 'kinds/organization/ledger/ledger.ts',
    from: "unlessAdopted(found(tuple, reported, goal), 'refused-but-there')",
    to: "unlessAdopted(added(tuple, reported), 'refused-but-there')",
    seenBy: { test: LAWS, title: 'what was found is never ours but by adoption' },
  },
  {
    name: 'gone-twice-before-forgotten',
    rule: 'One list that lacks an endpoint of ours does not end it.',
    file: 'kinds/organization/ledger/ledger.ts',
    from: 'if (!isMissedFor(SECOND_LOOK_MS, entry, evidence)) return { entry };',
    to: '',
    seenBy: { test: LEDGER, title: 'Missing | not there, a second be' },
  },
  {
    name: 'lost-endpoint-is-told',
    rule: 'What is lost without us is told in an event.',
    file: 'kinds/organization/ledger/ledger.ts',
    from: "return isOurs(entry) ? { remark: 'vanished' } : {};",
    to: 'return {};',
    seenBy: { test: LAWS, title: 'what was ours goes only by absence or with a word' },
  },
  {
    name: 'ours-is-ours-to-the-byte',
    rule: 'An entry in other letters than ours is somebody else’s, and is left alone.',
    file: 'kinds/organization/ledger/ledger.ts',
    from: 'list.exact(entry)',
    to: 'list.find(entry)',
    seenBy: {
      test: 'test/unit/organization-ledger-spelling.test.ts',
      title: 'but an entry of the ledger is there only to the byte',
    },
  },
  {
    name: 'ledger-fits-the-status',
    rule: 'However long the list is, the status can be stored.',
    file: 'kinds/organization/ledger/ledger.ts',
    from: 'if (kept.size >= LIMITS.ledger) break;',
    to: '',
    seenBy: {
      test: 'test/unit/organization-ledger-full.test.ts',
      title: 'the ledger holds no more than the status can',
    },
  },
  seenInLife(
    'open-intent-overwritten-without-a-look',
    'A change whose outcome is unknown is not sent again before it can be at work no more.',
  ),
  {
    name: 'unreadable-list-is-unknown',
    rule: 'A list that cannot be read is unknown, not empty.',
    file: 'kinds/organization/endpoints/endpoints.ts',
    from: 'return entries.length === 0 && list.length > 0 ? undefined : entries;',
    to: 'return entries;',
    seenBy: { test: 'test/unit/organization-lists.test.ts', title: 'is unknown' },
  },
  {
    name: 'left-out-list-is-not-empty',
    rule: 'A list that is left out is not taken for empty where something was there.',
    file: 'kinds/organization/attempt/progress.ts',
    from: 'return total === last.filter(isRemoved).length;',
    to: 'return true;',
    seenBy: {
      test: 'test/unit/organization-progress.test.ts',
      title: 'is unknown after one with entries that nobody has removed',
    },
  },
];

/** What is sent. */
const CHANGES: readonly Mutation[] = [
  {
    name: 'old-look-is-looked-again',
    rule: 'What a look showed more than a minute ago is looked at once more, up to three times, before anything is added.',
    file: 'kinds/organization/attempt/next-step.ts',
    from: 'if (!fresh || isOld) return lookStep(work);',
    to: 'if (!fresh) return lookStep(work);',
    seenBy: {
      test: NEXT_STEP,
      title: 'is followed by another look where a minute went by since, three times',
    },
  },
  {
    name: 'nothing-on-an-unknown-list',
    rule: 'On a list that is not known nothing is added or removed.',
    file: 'kinds/organization/attempt/next-step.ts',
    from: 'return fresh?.list',
    to: 'return fresh',
    seenBy: { test: NEXT_STEP, title: 'nothing is added or removed where it is unknown' },
  },
  {
    name: 'open-intent-is-not-sent-again',
    rule: 'While an intent of unknown fate is on record no other one is sent.',
    file: 'kinds/organization/attempt/next-step.ts',
    from: "if (pendingChange) return { step: 'end' };",
    to: '',
    seenBy: { test: NEXT_STEP, title: 'and what this process has put on record is sent' },
  },
  {
    name: 'too-many-removals-block-all',
    rule: 'Where more would be removed than allowed nothing is sent, not the name either.',
    file: 'kinds/organization/attempt/next-step.ts',
    from: "if (decision.blocked) return { step: 'end' };",
    to: '',
    seenBy: { test: NEXT_STEP, title: 'nothing at all is sent where more would be removed' },
  },
  seenInLife(
    'removal-cap-one-too-many',
    'No more endpoints are removed at once than maxPrivateEndpointRemovals allows.',
  ),
  {
    name: 'three-refusals-end-an-attempt',
    rule: 'After three refusals in a row an attempt sends no more.',
    file: 'kinds/organization/attempt/next-step.ts',
    from: 'if (session.refusalsInRow >= MOST_REFUSALS) return undefined;',
    to: '',
    seenBy: { test: NEXT_STEP, title: 'three in a row stop it' },
  },
  {
    name: 'taken-id-is-not-added',
    rule: 'An id that stands there with other fields, and is not ours, is not touched.',
    file: 'kinds/organization/attempt/next-step.ts',
    from: 'if (strangers(endpoint, list, ours)) conflicts',
    to: 'if (strangers(endpoint, list, ours) && entry) conflicts',
    seenBy: { test: DECIDE, title: 'is a conflict, and is not added' },
  },
  {
    name: 'no-id-in-both-lists',
    rule: 'An id is never added and removed in one change.',
    file: 'kinds/organization/attempt/next-step.ts',
    from: 'else if (ours.length > 0) continue;',
    to: '',
    seenBy: { test: DECIDE, title: 'never have one id in both' },
  },
  {
    name: 'look-changes-nothing',
    rule: 'A look at an organization changes nothing.',
    file: 'kinds/organization/remote.ts',
    from: '{ add: [], remove: [] } }',
    to: '{ add: [] } }',
    seenBy: { test: NEXT_STEP, title: 'is a look, ' },
  },
  {
    name: 'order-of-endpoints-is-no-change',
    rule: 'The same endpoints in another order are not sent again.',
    file: 'kinds/organization/remote.ts',
    from: 'goal.endpoints?.toSorted((a, b) => (tupleKey(a) < tupleKey(b) ? -1 : 1))',
    to: 'goal.endpoints',
    seenBy: {
      test: 'test/unit/kinds-canonical.test.ts',
      title: 'does not tell the order of the endpoints',
    },
  },
  seenInLife('suspend-waits-for-open-intent', 'A suspended Organization makes no call.'),
];

/** What becomes of an object that goes. */
const DELETION: readonly Mutation[] = [
  {
    name: 'finalizer-before-the-first-add',
    rule: 'What is to go with its object is not added before the object has its finalizer.',
    file: 'kinds/organization/plan.ts',
    from: 'if (mayRemove && !hasFinalizer(object) && goal.endpoints)',
    to: 'if (mayRemove && hasFinalizer(object) && goal.endpoints)',
    seenBy: {
      test: LET_GO,
      title: 'an object whose endpoints go with it has its finalizer before',
    },
  },
  {
    name: 'retain-leaves-everything',
    rule: 'Under Retain a deleted object is let go without a call.',
    file: 'kinds/organization/cleanup.ts',
    from: "parsed.spec.deletionPolicy !== 'RemovePrivateEndpoints'",
    to: "parsed.spec.deletionPolicy === 'RemovePrivateEndpoints'",
    seenBy: { test: LET_GO, title: 'under Retain is let go without a word' },
  },
  {
    name: 'only-the-holder-cleans-up',
    rule: 'A deleted object calls for no organization that another object holds.',
    file: 'kinds/organization/cleanup.ts',
    from: "if (verdict.why !== 'unlisted')",
    to: "if (verdict.why === 'unlisted')",
    seenBy: { test: LET_GO, title: 'that somebody else’s object stands before makes no call' },
  },
  {
    name: 'cleanup-is-tried-before-the-deadline',
    rule: 'A deleted object is let go at its deadline only after an attempt has failed.',
    file: 'kinds/organization/cleanup.ts',
    from: 'if (hasFailed && now >= deadline)',
    to: 'if (now >= deadline)',
    seenBy: { test: LET_GO, title: 'goes at its deadline with the names of what is left' },
  },
  {
    name: 'plan-only-gives-nothing-up',
    rule: 'With --plan-only a deleted object waits, also beyond its deadline.',
    file: 'kinds/organization/cleanup.ts',
    from: 'if (facts.planOnly) return Number.POSITIVE_INFINITY;',
    to: '',
    seenBy: { test: 'test/unit/plan-only.test.ts', title: 'is not given up by an operator' },
  },
  {
    name: 'deletion-has-an-end',
    rule: 'A deleted object that cannot be cleaned up is let go at its deadline.',
    file: 'kinds/organization/cleanup.ts',
    from: 'if (hasFailed && now >= deadline)',
    to: 'if (hasFailed && now < deadline)',
    seenBy: { test: LET_GO, title: 'goes at its deadline with the names of what is left' },
  },
  seenInLife(
    'deletion-forgets-open-add',
    'What may have been added is not forgotten when its object is deleted.',
  ),
  {
    name: 'strangers-have-no-say-in-a-deletion',
    rule: 'An object of another namespace without proof keeps no endpoint from being removed.',
    file: 'kinds/organization/load.ts',
    from: 'if (namespace !== object.metadata.namespace && !isProven(rival.status, apiHash)) return [];',
    to: '',
    seenBy: { test: LET_GO, title: 'is told what others list: of another namespace only who' },
  },
  {
    name: 'in-vain-counts-once',
    rule: 'What was sent once in vain is not counted again at each look.',
    file: 'kinds/organization/attempt/progress.ts',
    from: 'if (!pending || !isSettledForGood) return pending;',
    to: 'if (pending !== null) return pending;',
    seenBy: { test: PROGRESS, title: 'counts in each look only for what that look has settled' },
  },
  {
    name: 'only-a-list-settles',
    rule: 'A look without a list takes nothing of an intent off the record.',
    file: 'kinds/organization/attempt/progress.ts',
    from: 'settles(reply, fresh) && isOver(work)',
    to: 'isOver(work)',
    seenBy: { test: PROGRESS, title: 'stays whole while no list has settled it' },
  },
  {
    name: 'another-api-is-another-organization',
    rule: 'With another --api-url nothing is removed by what was ours at the former.',
    file: 'kinds/organization/plan.ts',
    from: 'status.proof.apiHash !== apiHash',
    to: "apiHash === ''",
    seenBy: {
      test: 'test/unit/organization-yield.test.ts',
      title: 'what another API had shown is forgotten',
    },
  },
];

export const ORGANIZATION: readonly Mutation[] = [...OWNERSHIP, ...CHANGES, ...DELETION];
