import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Found } from '../../src/cli/cluster/objects.ts';
import { endpointsOf } from '../../src/cli/explain/endpoints.ts';
import { factsOf } from '../../src/cli/explain/facts.ts';
import { storyOf } from '../../src/cli/explain/story.ts';
import { createShell } from '../../src/cli/shell.ts';
import { standingOf } from '../../src/cli/standing.ts';
import { inOrder, itemOf, rowOf, tableOf } from '../../src/cli/status/rows.ts';
import { definitions } from '../../src/kinds/definitions.ts';
import { ORIGINS } from '../../src/kinds/organization/status.ts';
import type { KubeObject } from '../../src/kube/resource.ts';
import { T0 } from '../support/objects.ts';
import { everyState } from '../support/state-files.ts';

/** What `status` and `explain` say, of the states that deploy/argocd has and of what is forged. */
const STATES = everyState();

function found(
  kind: string,
  state: string,
  edit: (object: KubeObject) => object = () => ({}),
): Found {
  const definition = definitions.find(({ type }) => type.kind === kind);
  const stored = STATES.find((one) => one.kind === kind && one.state === state);
  if (!definition || !stored) throw new Error(`there is no state ${state} of ${kind}`);
  const { metadata } = stored.object;
  const times = { creationTimestamp: '2026-03-01T12:00:00Z', uid: 'u', resourceVersion: '1' };
  const object = { ...stored.object, metadata: { namespace: 'ingest', ...times, ...metadata } };
  return { definition, object: { ...object, ...edit(object) } };
}

const ALL = STATES.map(({ kind, state }) => found(kind, state));
const anyOf = fc.constantFrom(...ALL);
/** Steers a terminal, starts a line, or turns the direction of a text. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\u2028\u2029]/u;
const hostile = fc.string({
  unit: fc.constantFrom(
    '\u001b',
    '[31m',
    '\n',
    '\r',
    '\u009b',
    '\u202e',
    '\u2028',
    'a',
    ' ',
    '\u0007',
  ),
  minLength: 1,
  maxLength: 20,
});

/** The value with these texts in place of all of its own. */
function spoiled(value: unknown, text: string): unknown {
  if (typeof value === 'string') return text;
  if (Array.isArray(value)) return value.map((item) => spoiled(item, text));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, spoiled(member, text)]),
  );
}

/** Only where a schema lets any text in. */
function withHostileMessages(object: KubeObject, text: string): object {
  const { conditions = [], ...status } = object.status as { conditions?: { message: string }[] };
  return {
    ...object,
    spec: spoiled(object.spec, text),
    status: {
      ...status,
      conditions: conditions.map((one) => ({ ...one, message: text, reason: `${text}x` })),
      lastRequest: {
        operation: text,
        requestId: text,
        outcome: 'Rejected',
        time: '2026-03-01T12:00:00Z',
        message: text,
      },
      drift: [{ field: text, from: text, to: text, time: '2026-03-01T12:00:00Z' }],
    },
  };
}

describe('the table', () => {
  test('has one row for each object, in whatever order they come', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(ALL), (objects) => {
        const rows = inOrder(objects.map(rowOf));
        expect(new Set(rows.map((row) => row.found))).toEqual(new Set(objects));
        expect(tableOf(rows, { now: T0, namespaces: true })).toHaveLength(objects.length + 1);
        expect(rows.map(itemOf)).toEqual(inOrder(objects.toReversed().map(rowOf)).map(itemOf));
      }),
    );
  });

  test('has what needs a person first, then what is not ready, and what is ready last', () => {
    const rows = inOrder(ALL.map(rowOf)).map(({ standing }) => standing);
    const firstCalm = rows.findIndex(({ stalled }) => !stalled);
    const firstReady = rows.findIndex(({ state }) => state === 'Ready');
    const states = rows.map(({ state }) => state);
    expect(rows.slice(firstCalm).filter(({ stalled }) => stalled)).toEqual([]);
    expect(rows.slice(firstReady).filter(({ ready }) => !ready)).toEqual([]);
    expect(states.lastIndexOf('Not ready')).toBeLessThan(states.indexOf('Waiting'));
    expect(states.lastIndexOf('Waiting')).toBeLessThan(states.indexOf('Suspended'));
    expect(states.lastIndexOf('Planned')).toBeLessThan(firstReady);
  });
});

test.each([1, 5, 1000])('a status of an older generation is not ready, by %d', (ahead) => {
  const { standing } = rowOf(
    found('PipeSettings', 'applied', ({ metadata }) => ({
      metadata: { ...metadata, generation: 1 + ahead },
    })),
  );
  expect(standing).toMatchObject({ state: 'Not ready', ready: false, stalled: false });
  expect(standing.next).toEqual({ waitsFor: 'operator' });
});

const SHELL = createShell({});

test('one that is Stalled for an older generation does not wait for a person any more', () => {
  const standing = standingOf(
    found('PipeSettings', 'forbidden', ({ metadata }) => ({
      metadata: { ...metadata, generation: 2 },
    })),
  );
  expect(standing).toMatchObject({ state: 'Not ready', stalled: false });
});

test('one without any status waits', () => {
  const standing = standingOf(found('Organization', 'applied', () => ({ status: undefined })));
  expect(standing).toMatchObject({ state: 'Waiting', ready: false, observedGeneration: -1 });
});

test('what is being deleted is not ready and says so', () => {
  for (const state of ['deleted', 'deleted-with-cleanup'])
    expect(standingOf(found('Organization', state))).toMatchObject({
      state: 'Deleting',
      ready: false,
    });
});

describe('nothing that is printed', () => {
  test('steers a terminal or starts a line, whatever the cluster holds', () => {
    fc.assert(
      fc.property(anyOf, hostile, (one, text) => {
        const forged: Found = {
          ...one,
          object: withHostileMessages(one.object, text) as KubeObject,
        };
        const facts = factsOf(forged);
        const { title, sections } = storyOf(facts, T0, SHELL);
        const printed = [
          title,
          ...sections.flatMap(({ heading, lines }) => [heading, ...lines]),
          ...tableOf([rowOf(forged)], { now: T0, namespaces: true }),
          JSON.stringify(facts),
          JSON.stringify(itemOf(rowOf(forged))),
        ];
        expect(printed.filter((line) => UNPRINTABLE.test(line))).toEqual([]);
      }),
    );
  });

  test('is said of a person in a record', () => {
    const one = found('Activity', 'fetched', ({ status }) => ({
      status: {
        ...(status as object),
        activity: { id: 'record', type: 'a-type', actorId: 'canary-1', actorDetails: 'canary-2' },
      },
    }));
    const facts = factsOf(one);
    const text = JSON.stringify([facts, storyOf(facts, T0, SHELL), itemOf(rowOf(one))]);
    expect(text).toContain('a-type');
    expect(text).not.toContain('canary');
  });
});

describe('the story', () => {
  test('of each state says how it stands and what happens next', () => {
    for (const one of ALL) {
      const headings = storyOf(factsOf(one), T0, SHELL).sections.map(({ heading }) => heading);
      expect(headings).toEqual(
        expect.arrayContaining(['How it stands', 'What happens next', 'What is declared']),
      );
      expect(headings).not.toContain('');
    }
  });

  test('of each state that is Stalled names a person', () => {
    for (const one of ALL.filter((found) => standingOf(found).stalled))
      expect(factsOf(one).acts?.who).not.toMatch(/operator, by itself|nobody/);
  });

  test('tells the last changes newest first', () => {
    const history = [1, 2, 3].map((day) => ({
      time: `2026-03-0${day}T12:00:00Z`,
      generation: day,
      changes: [{ field: 'name', to: `${day}` }],
    }));
    const one = found('Organization', 'applied', ({ status }) => ({
      status: { ...(status as object), history },
    }));
    const told = storyOf(factsOf(one), T0, SHELL).sections.find(({ heading }) =>
      heading.startsWith('What was changed'),
    );
    expect(told?.lines.filter((line) => line.startsWith('  '))).toEqual([
      '  name: set to "3"',
      '  name: set to "2"',
      '  name: set to "1"',
    ]);
  });
});

describe('of the endpoints of an Organization', () => {
  const tuple = (id: string) => ({ id, cloudProvider: 'gcp', region: 'tokyo' });

  test('only those that it added or adopted are its own', () => {
    const origins = ['Added', 'Adopted', 'Found', undefined] as const;
    const ledger = origins.map((origin, at) => ({
      ...tuple(`psc-${at}`),
      state: 'Present' as const,
      ...(origin && { origin }),
    }));
    const endpoints = endpointsOf([], { privateEndpoints: ledger });
    expect(endpoints.map(({ ours }) => ours)).toEqual([true, true, false, false]);
    expect(endpoints.map(({ why }) => why)).toEqual([
      ORIGINS.Added,
      ORIGINS.Adopted,
      ORIGINS.Found,
      'the API does not have it',
    ]);
  });

  test('one that is listed in another spelling is told of once', () => {
    const ledger = [{ ...tuple('PSC-1'), state: 'Present' as const, origin: 'Added' as const }];
    const endpoints = endpointsOf([tuple('psc-1'), tuple('psc-2')], { privateEndpoints: ledger });
    expect(endpoints.map(({ id, listed, state }) => [id, listed, state])).toEqual([
      ['PSC-1', true, 'Present'],
      ['psc-2', true, undefined],
    ]);
  });
});

test('a difference that is only a blank is shown', () => {
  const one = found('Organization', 'applied', ({ status, spec }) => ({
    spec: { ...(spec as object), name: 'Acme ' },
    status: {
      ...(status as object),
      differences: [{ field: 'name', declared: 'Acme ', reported: 'Acme' }],
    },
  }));
  const lines = storyOf(factsOf(one), T0, SHELL).sections.flatMap((section) => section.lines);
  expect(lines).toContain('name: declared is "Acme ", the API has "Acme"');
});
