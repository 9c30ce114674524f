import { type Mutation, seenInLife } from '../mutation.ts';

const NOT_CONFIRMED = 'test/unit/pipe-settings-not-confirmed.test.ts';
const PIPE_PLAN = 'test/unit/pipe-settings-plan.test.ts';
const ACTIVITY_PLAN = 'test/unit/activity-plan.test.ts';
const ACTIVITY_REPORT = 'test/unit/activity-report.test.ts';
const PIPE_SPEC = 'test/unit/pipe-settings-resource.test.ts';
const ORGANIZATION_SPEC = 'test/unit/organization-resource.test.ts';

/** Settings of pipes, and records of activities. */
const SMALL_KINDS: readonly Mutation[] = [
  seenInLife('zero-and-false-never-sent', 'Declared zeros and false are sent like other values.'),
  seenInLife('request-hash-without-base-url', 'Another --api-url gets what is declared.'),
  seenInLife('reassert-by-default', 'Without reassertInterval nothing is sent again by itself.'),
  {
    name: 'other-echo-is-not-applied',
    rule: 'Settings that the API reports otherwise than declared are not said to be applied.',
    file: 'kinds/pipe-settings/confirmed.ts',
    from: 'shown.comparison.differences.length > 0',
    to: 'shown.comparison.differences.length > 99',
    seenBy: { test: NOT_CONFIRMED, title: 'names the difference, keeps the last confirmed write' },
  },
  {
    name: 'late-request-is-overwritten',
    rule: 'What is declared is sent once more when an earlier lost request can act no more.',
    file: 'kinds/pipe-settings/confirmed.ts',
    from: 'return settledAt === undefined',
    to: 'return settledAt !== 0',
    seenBy: {
      test: 'test/unit/pipe-settings-unsettled.test.ts',
      title: 'an edit after a lost answer is sent at once, and once more',
    },
  },
  {
    name: 'plan-only-holds-for-pipes',
    rule: 'With --plan-only no setting is sent, whatever the mode of the object.',
    file: 'kinds/pipe-settings/plan.ts',
    from: "spec.mode === 'Plan' || planOnly",
    to: "spec.mode === 'Plan'",
    seenBy: { test: PIPE_PLAN, title: 'before mode Apply' },
  },
  {
    name: 'record-is-fetched-once',
    rule: 'A record that was fetched is not fetched again.',
    file: 'kinds/activity/plan.ts',
    from: 'record && !isRequested(object)',
    to: 'record && isRequested(object)',
    seenBy: { test: ACTIVITY_PLAN, title: 'nothing is ever done again, whatever the time' },
  },
  seenInLife('fetched-activity-ignores-edit', 'After an edit a fetched Activity is Ready again.'),
  {
    name: 'late-record-is-waited-for',
    rule: 'A young record that is not there yet is waited for, also where the API says 400.',
    file: 'kinds/activity/report.ts',
    from: ' || attempt.verdict.httpStatus === 400',
    to: '',
    seenBy: {
      test: ACTIVITY_REPORT,
      title: 'is waited for likewise where the API answers with 400',
    },
  },
  {
    name: 'odd-status-counts-for-nothing',
    rule: 'What the schema of a status refuses is as if it had never been written.',
    file: 'kinds/schema/sound.ts',
    from: '.filter(([name]) => !wrong.has(name))',
    to: '',
    seenBy: {
      test: 'test/unit/kinds-sound-status.test.ts',
      title: 'a stored status is read as far as it fits',
    },
  },
];

/** What a spec may say. */
const SPECS: readonly Mutation[] = [
  {
    name: 'value-out-of-range-is-not-sent',
    rule: 'A stored value that is out of its range is refused, not sent.',
    file: 'kinds/schema/schema.ts',
    from: ', z.maximum(max, { error })',
    to: '',
    seenBy: { test: PIPE_SPEC, title: 'the message names every problem with its field and value' },
  },
  {
    name: 'unknown-field-is-not-sent',
    rule: 'A stored field that nobody knows is left out of what is sent.',
    file: 'kinds/schema/schema.ts',
    from: 'const schema = z.object(shape,',
    to: 'const schema = z.looseObject(shape,',
    seenBy: {
      test: PIPE_SPEC,
      title: 'a good spec comes back as it is, without the fields nobody',
    },
  },
  {
    name: 'one-id-is-listed-once',
    rule: 'An endpoint that is listed twice, in other letters too, is refused.',
    file: 'kinds/organization/resource.ts',
    from: 'if (seen.has(plain(id)))',
    to: 'if (seen.has(id))',
    seenBy: {
      test: ORGANIZATION_SPEC,
      title: 'is told in one line',
    },
  },
];

export const KINDS: readonly Mutation[] = [...SMALL_KINDS, ...SPECS];
