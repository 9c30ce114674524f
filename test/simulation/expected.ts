/** A fault of the operator that is known and not mended yet. The list may only shrink. */
export interface Expected {
  readonly rule: string;
  /** A life that shows it. */
  readonly seed: number;
  readonly fault: string;
}

export const EXPECTED: readonly Expected[] = [
  { rule: 'held names', seed: 0, fault: '' },
  { rule: 'held inherits', seed: 0, fault: '' },
  { rule: 'held blocked', seed: 0, fault: '' },
  { rule: 'held two-ready', seed: 0, fault: '' },
  { rule: 'I4 overwritten', seed: 0, fault: '' },
  { rule: 'call gone', seed: 0, fault: '' },
  { rule: 'call suspended', seed: 0, fault: '' },
  { rule: 'call planned', seed: 0, fault: '' },
  { rule: 'call old-spec', seed: 0, fault: '' },
  { rule: 'call deleted', seed: 0, fault: '' },
  { rule: 'call undeclared', seed: 0, fault: '' },
  { rule: 'said another-object', seed: 0, fault: '' },
  { rule: 'promise gated', seed: 0, fault: '' },
  { rule: 'I4 Unauthorized', seed: 0, fault: '' },
  { rule: 'rest hot-loop', seed: 0, fault: '' },
  { rule: 'process lease-kept', seed: 0, fault: '' },
  { rule: 'said drift', seed: 0, fault: '' },
  { rule: 'I4 other-api', seed: 0, fault: '' },
  { rule: 'I4 late-write', seed: 0, fault: '' },
  { rule: 'activity early-stall', seed: 0, fault: '' },
  { rule: 'activity lost-ready', seed: 0, fault: '' },
  { rule: 'I1 no-look', seed: 0, fault: '' },
  { rule: 'I1 was-there', seed: 0, fault: '' },
  { rule: 'I2 was-there', seed: 0, fault: '' },
  { rule: 'I2 came-later', seed: 0, fault: '' },
  { rule: 'I2 never-added', seed: 0, fault: '' },
  { rule: 'I2 of-another-object', seed: 0, fault: '' },
  { rule: 'said nothing-sent', seed: 0, fault: '' },
  { rule: 'I4 spelled', seed: 0, fault: '' },
  { rule: 'I4 added-again', seed: 0, fault: '' },
  { rule: 'I4 EndpointConflict', seed: 0, fault: '' },
  { rule: 'I4 NotConfirmed', seed: 0, fault: '' },
  { rule: 'I4 Rejected', seed: 0, fault: '' },
  { rule: 'I4 Conflict', seed: 0, fault: '' },
  { rule: 'I4 not-removed', seed: 0, fault: '' },
  { rule: 'I4 kept-out', seed: 0, fault: '' },
  { rule: 'I3 one-look', seed: 0, fault: '' },
  { rule: 'I3 given-up', seed: 0, fault: '' },
  { rule: 'I3 unproven', seed: 0, fault: '' },
  { rule: 'said no-hint', seed: 0, fault: '' },
  { rule: 'I4 blind', seed: 0, fault: '' },
  { rule: 'I5 left-unknown', seed: 0, fault: '' },
  { rule: 'I3 handed-over', seed: 0, fault: '' },
  { rule: 'I6 again', seed: 0, fault: '' },
  { rule: 'I6 unsettled', seed: 0, fault: '' },
  { rule: 'I5 left-added', seed: 0, fault: '' },
  { rule: 'I5 left-spelled', seed: 0, fault: '' },
  { rule: 'I5 left-adopted', seed: 0, fault: '' },
  { rule: 'I5 cut-short', seed: 0, fault: '' },
  { rule: 'restore backwards', seed: 0, fault: '' },
  { rule: 'restore forwards', seed: 0, fault: '' },
  { rule: 'pace repeats', seed: 0, fault: '' },
  { rule: 'I4 unlisted', seed: 0, fault: '' },
  { rule: 'promise far-pending', seed: 0, fault: '' },
  { rule: 'process result-lost', seed: 3645, fault: '' },
  { rule: 'I4 OutcomeUnknown', seed: 0, fault: '' },
];

export function expectedOf(rule: string): Expected | undefined {
  return EXPECTED.find((one) => one.rule === rule);
}
