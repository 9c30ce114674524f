import { describe, expect, test } from 'vitest';
import { type Work, workOf } from '../../src/kinds/organization/attempt/session.ts';
import { goalOf } from '../../src/kinds/organization/goal.ts';
import { reportStep } from '../../src/kinds/organization/readiness/report-step.ts';
import type { Organization, OrganizationStatus } from '../../src/kinds/organization/resource.ts';
import type { Claim } from '../../src/kinds/target/target.ts';
import { T0 } from '../support/objects.ts';
import { at, e } from '../support/organization-entries.ts';
import {
  API_HASH,
  aClaim,
  anOrganization,
  factsOf,
  parsedSpec,
} from '../support/organization-objects.ts';

const PROOF = { time: at(0), apiHash: API_HASH };
const PENDING = { time: at(-1_000), add: [e('a')], remove: [] };

function workFor(object: Organization, others: readonly Claim[] = []): Work {
  const spec = parsedSpec(object);
  const facts = factsOf(object);
  const standing = { ...facts.standing, others };
  return workOf(object, { ...facts, standing }, { spec, goal: goalOf(spec), now: T0 });
}

/** The report of an attempt that has learned this and gets no slot for its next change. */
function withoutSlot(
  object: Organization,
  learned: OrganizationStatus,
  others: readonly Claim[] = [],
): ReturnType<typeof reportStep> {
  const work = workFor(object, others);
  const session = { ...work.session, draft: learned };
  const step = { step: 'intend', pending: PENDING } as const;
  const came = { got: 'no-slot' } as const;
  return reportStep(object, { do: 'intend', work: { ...work, session }, step, came }, T0);
}

function writtenWithoutSlot(object: Organization, learned: OrganizationStatus): object | undefined {
  return withoutSlot(object, learned).status;
}

/**
 * The status that is written when an object that is Ready by this request finds the gate closed.
 */
function writtenAtTheGate(requestHash: string): object | undefined {
  const summary = {
    type: 'Ready',
    status: 'True',
    reason: 'Applied',
    message: 'm',
    lastTransitionTime: at(0),
  } as const;
  const conditions = [{ ...summary, observedGeneration: 1 }];
  const applied = {
    time: at(0),
    generation: 1,
    requestHash,
    responseHash: '',
    secretResourceVersion: '1',
    keys: [],
  };
  const object = anOrganization({ ids: ['a'], status: { conditions, applied } });
  const step = { step: 'look', by: 'list', body: '{}' } as const;
  const came = { got: 'circuit-open' } as const;
  return reportStep(object, { do: 'call', work: workFor(object), step, came }, T0).status;
}

/**
 * The status that is written when the key of an object goes after a step has been answered, and
 * before the next.
 */
function writtenWithoutKey(object: Organization, learned: OrganizationStatus): object | undefined {
  const work = workFor(object);
  const session = { ...work.session, draft: { ...work.session.draft, ...learned } };
  const step = { step: 'look', by: 'list', body: '{}' } as const;
  const problem = { reason: 'SecretInvalid', message: 'm' } as const;
  const came = { got: 'no-credential', problem } as const;
  return reportStep(object, { do: 'call', work: { ...work, session }, step, came }, T0).status;
}

describe('before an attempt waits for a slot', () => {
  test('the first proof is on record where there are rivals: or another without one is tried meanwhile, and both look in turn for ever', () => {
    const object = anOrganization({ ids: ['a'] });
    expect(withoutSlot(object, { proof: PROOF }, [aClaim()]).status).toMatchObject({
      proof: PROOF,
    });
    expect(
      withoutSlot(object, { proof: PROOF }).status,
      'no write for an object by itself',
    ).toBeUndefined();
  });

  test('a change that has been answered is on record as open no more', () => {
    const object = anOrganization({ ids: ['a'], status: { pendingChange: PENDING } });
    expect(writtenWithoutSlot(object, { proof: PROOF })).not.toHaveProperty('pendingChange');
  });

  test('nothing is written otherwise', () => {
    const object = anOrganization({ ids: ['a'], status: {} });
    expect(writtenWithoutSlot(object, { proof: { ...PROOF, time: at(1_000) } })).toBeUndefined();
  });

  test('an answer is told where the process ends meanwhile, and nothing where there was none', () => {
    const object = anOrganization({ ids: ['a'], status: { pendingChange: PENDING } });
    const lastRequest = {
      operation: 'UpdateOrganization',
      time: at(0),
      outcome: 'Succeeded',
    } as const;
    const { status, lastWord } = withoutSlot(object, { ...object.status, lastRequest });
    expect(status).toBeUndefined();
    expect(lastWord?.status).toMatchObject({ pendingChange: PENDING, lastRequest });
    expect(withoutSlot(object, { ...object.status })).not.toHaveProperty('lastWord');
  });
});

describe('behind a closed gate', () => {
  test('what this API has confirmed stays Ready', () => {
    expect(writtenAtTheGate(workFor(anOrganization({ ids: ['a'] })).hash)).toBeUndefined();
  });

  test('what another API has confirmed does not', () => {
    expect(writtenAtTheGate('sha256:of-another-api')).toMatchObject({
      conditions: [{ reason: 'Unauthorized' }, {}],
    });
  });
});

test('an attempt that ends for want of a key tells of its last request, not of the one that stood there before', () => {
  const by = (requestId: string) =>
    ({
      operation: 'UpdateOrganization',
      time: at(0),
      httpStatus: 200,
      requestId,
      outcome: 'Succeeded',
    }) as const;
  const object = anOrganization({
    ids: ['a'],
    status: { pendingChange: PENDING, lastRequest: by('look') },
  });
  expect(writtenWithoutKey(object, { lastRequest: by('change') })).toMatchObject({
    conditions: [{ reason: 'SecretInvalid' }, {}],
    pendingChange: PENDING,
    lastRequest: { requestId: 'change' },
  });
});
