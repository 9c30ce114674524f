/** A fault of the operator that is known and not mended yet. The list may only shrink; a rule stands twice where two faults break it. */
export interface Expected {
  readonly rule: string;
  /** A life that shows it, the first known; with a depth, an interleaving of the small scope. */
  readonly seed: number;
  readonly depth?: number;
  /** By its number at the head of organization.md (1 to 8) or in section 3 of issue 11 (11.1 to 11.13); else of the first version, by the same causes, or new. */
  readonly fault: string;
}

export const EXPECTED: readonly Expected[] = [
  {
    rule: 'held names',
    seed: 10,
    fault: '11.1: whoever waits for a target is told the name of an object of another namespace',
  },
  {
    rule: 'held inherits',
    seed: 1,
    fault: '11.1: a target goes to an object whose key nobody has proven, as soon as its holder is seen no more',
  },
  { rule: 'held blocked', seed: 6, fault: '11.1: an object that could never act keeps one that could waiting' },
  {
    rule: 'I4 overwritten',
    seed: 217,
    fault: '11.1: another object wrote to the target last, and this one still says Applied',
  },
  { rule: 'call gone', seed: 39, fault: '11.2: a call leaves although its object is known to be gone' },
  { rule: 'call suspended', seed: 62, fault: '11.2: a call leaves after suspend' },
  { rule: 'call planned', seed: 66, fault: '11.2: a call leaves after the change to Plan mode' },
  { rule: 'call old-spec', seed: 80, fault: '11.2: a call leaves with a spec or a Secret that is known to be old' },
  {
    rule: 'call undeclared',
    seed: 323,
    depth: 3,
    fault: '11.2: a removal leaves for what is known to be declared again',
  },
  {
    rule: 'said another-object',
    seed: 17,
    fault: '11.5: a refused key is said to have been refused for another object',
  },
  {
    rule: 'promise gated',
    seed: 69,
    fault: '11.5: a try that was promised never comes, because another object waits with the same key',
  },
  { rule: 'I4 Unauthorized', seed: 1001, fault: '11.5: a key works again, and its object does not hear of it' },
  {
    rule: 'said drift',
    seed: 3332,
    fault: '11.10: values of the API before are reported as drift of the one after a new --api-url',
  },
  {
    rule: 'I4 other-api',
    seed: 4219,
    fault: '11.10: after a new --api-url the ledger of the API before stands for the one now',
  },
  {
    rule: 'I4 late-write',
    seed: 1921,
    fault: '11.12: a PUT without an answer lands after the one that followed it, and the object says Applied',
  },
  {
    rule: 'activity early-stall',
    seed: 26,
    fault: '11.13: a record that is late is Stalled at once where it is answered with 400',
  },
  { rule: 'activity lost-ready', seed: 71, fault: '11.13: a record that is held is NotFound after a try on demand' },
  { rule: 'I1 no-look', seed: 1, fault: '1: an add leaves without a look of its attempt' },
  { rule: 'I1 was-there', seed: 23, fault: '1: an add leaves for what the look had shown' },
  {
    rule: 'I2 was-there',
    seed: 1363,
    fault: '1: an endpoint of somebody else that was there before our add is taken for ours, and removed',
  },
  {
    rule: 'I2 came-later',
    seed: 362767,
    fault: '2: of a list longer than the status stores, an endpoint of somebody else is removed',
  },
  {
    rule: 'I2 came-later',
    seed: 344,
    fault: '1: an endpoint of somebody else that came after the last look is taken for ours, and removed',
  },
  {
    rule: 'I2 never-added',
    seed: 379,
    fault: '2: an endpoint of somebody else is removed that the operator never added',
  },
  { rule: 'I2 of-another-object', seed: 396, fault: '8: an endpoint of another object is removed' },
  { rule: 'said nothing-sent', seed: 228, fault: '3: RemovalBlocked says that nothing is sent, and the name is' },
  { rule: 'I4 spelled', seed: 63, fault: '4: what the API keeps in other letters is never seen as there' },
  { rule: 'I5 left-spelled', seed: 371, fault: '4: what the API keeps in other letters is left behind at deletion' },
  { rule: 'I4 added-again', seed: 598, fault: '4: an endpoint whose id the API keeps in capitals is added for ever' },
  {
    rule: 'I4 not-removed',
    seed: 2051,
    fault: '4: what was added and is listed no more stays, and the object says Applied',
  },
  {
    rule: 'I4 kept-out',
    seed: 3174,
    fault: '5: endpoints that the API would take are kept out by one that it refuses',
  },
  { rule: 'I3 one-look', seed: 2051, fault: '6: something of ours leaves the ledger after one look that lacked it' },
  { rule: 'I3 given-up', seed: 1, fault: '6: something of ours leaves the ledger before two looks lacked it' },
  { rule: 'I3 unproven', seed: 6204, fault: '6: something of ours leaves the ledger without any look' },
  { rule: 'I4 blind', seed: 13208, fault: '7: looks fail, and the object waits for ever without a hint' },
  { rule: 'said no-hint', seed: 577, fault: '7: looks are refused for want of a name, and no message says so' },
  {
    rule: 'I5 left-unknown',
    seed: 502,
    fault: '7: the organization was not found, and what is left there is named to nobody',
  },
  { rule: 'I3 handed-over', seed: 422, fault: '8: the ledger of one object goes to another' },
  {
    rule: 'I6 again',
    seed: 1,
    fault: 'of the first version: an endpoint is sent again while the first write may be at work',
  },
  {
    rule: 'I6 unsettled',
    seed: 241,
    fault: 'of the first version: another object calls while a write of unknown outcome may be at work',
  },
  {
    rule: 'I5 left-added',
    seed: 2003,
    fault: 'of the first version: something that was added is left behind at deletion, and no event names it',
  },
  {
    rule: 'I5 left-adopted',
    seed: 880,
    fault: 'of the first version: something that was adopted is left behind at deletion, and no event names it',
  },
  {
    rule: 'I5 cut-short',
    seed: 1098,
    fault: 'of the first version: the event that says what is left behind does not name all of it',
  },
  {
    rule: 'restore backwards',
    seed: 140,
    fault: 'new: after a restore the statuses speak of before it, and what was sent since is taken for not sent',
  },
  {
    rule: 'restore forwards',
    seed: 34,
    fault: 'new: after a restore without status what was held before is held by nobody',
  },
  { rule: 'pace look-loop', seed: 231, fault: 'new: an API that refuses looks is asked for the same without a pause' },
  { rule: 'I4 unlisted', seed: 649, fault: 'new: an API that leaves out an empty list is asked for ever' },
  {
    rule: 'I4 OutcomeUnknown',
    seed: 13151,
    fault: 'new: a refused name and an unknown outcome chase each other without a pause',
  },
  {
    rule: 'promise far-pending',
    seed: 3330,
    fault: 'new: how long a write may be at work is counted from a time that a wrong clock has written',
  },
  {
    rule: 'process result-lost',
    seed: 2481,
    fault: 'new: a process ends in order, and the answer that it had last stands nowhere',
  },
];

export function expectedOf(rule: string): Expected | undefined {
  return EXPECTED.find((one) => one.rule === rule);
}
