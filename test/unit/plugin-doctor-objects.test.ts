import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Found } from '../../src/cli/cluster/objects.ts';
import type { Working } from '../../src/cli/doctor/coverage.ts';
import { judgeCoverage } from '../../src/cli/doctor/coverage.ts';
import { type Finding, Report } from '../../src/cli/doctor/report.ts';
import { labelsFor } from '../../src/cli/doctor/selector-labels.ts';
import { judgeStates } from '../../src/cli/doctor/states.ts';
import { labelSelector } from '../../src/config/label-selector.ts';
import { REASONS } from '../../src/kinds/status/reasons.ts';
import { selects } from '../../src/kube/secrets/label-match.ts';
import { FAILURES } from '../../src/waits.ts';
import { deployment, pset, shell, working } from '../support/doctor.ts';

function covered(objects: readonly Found[], ...operators: readonly Working[]): readonly Finding[] {
  const report = new Report();
  judgeCoverage(objects, operators, { report, shell });
  return report.findings;
}

function states(...objects: readonly Found[]): readonly Finding[] {
  const report = new Report();
  judgeStates(objects, { report, shell, types: new Map() });
  return report.findings;
}

const many = (more: Parameters<typeof pset>[1] = {}): Found[] =>
  Array.from({ length: 1_000 }, (_, at) => pset(`p${at}`, more));

describe('objects that nobody works on', () => {
  test('none, where one of several operators has each', () => {
    const objects = [
      pset('a', { namespace: 'a' }),
      pset('b', { namespace: 'b', labels: { t: '1' } }),
    ];
    const one = working({ namespaces: ['a'] });
    expect(covered(objects, one, working({ selector: 't' }))).toEqual([]);
  });

  test('for their namespace: one finding, and the release gets all namespaces that it needs', () => {
    const objects = [...many({ namespace: 'b' }), pset('one', { namespace: 'c' })];
    const [finding, ...others] = covered(
      objects,
      working({ namespaces: ['a'] }, deployment({}, { helm: true })),
    );
    expect(others).toEqual([]);
    expect(finding?.says).toContain('1001 objects (b/pset/p0, b/pset/p1, b/pset/p2 and 998 more)');
    expect(finding?.command).toBe(
      "helm upgrade ours deploy/helm/pipewright --namespace pipewright --reset-then-reuse-values --force-conflicts --set 'namespaces={a,b,c}'",
    );
  });

  test('of an installation without Helm: the ConfigMap is changed and the Lease keeps its name', () => {
    const installed = deployment({ PIPEWRIGHT_NAMESPACES: 'a' });
    const [finding] = covered([pset('x')], working({ namespaces: ['a'] }, installed));
    expect(finding?.command).toBe(
      `kubectl -n pipewright patch configmap pipewright-flags --type=merge -p '{"data":{"PIPEWRIGHT_NAMESPACES":"a,ingest","PIPEWRIGHT_LEADER_ELECT_NAME":"pipewright"}}' && kubectl -n pipewright rollout restart deployment/pipewright`,
    );
  });

  test('of an operator that anybody may have made up: it is told, and nothing is changed for it', () => {
    const doubt = 'Is it yours?';
    const helm = deployment({}, { helm: true });
    const [unwatched] = covered([pset('x')], { ...working({ namespaces: ['a'] }, helm), doubt });
    const [unselected] = covered([pset('x')], { ...working({ selector: 'team=x' }), doubt });
    for (const finding of [unwatched, unselected]) {
      expect(finding?.command).toBeUndefined();
      expect(finding?.says).toMatch(/ Nobody works on .* Is it yours\?$/);
    }
  });

  test('of one that has it in an argument: no command can change that, and the flag is named', () => {
    const installed = deployment({}, { args: ['--namespaces=a'] });
    const [finding] = covered([pset('x')], working({ namespaces: ['a'] }, installed));
    expect(finding?.command).toBeUndefined();
    expect(finding?.says).toContain('write --namespaces=a,ingest there');
  });

  test('for their labels: one finding for each namespace', () => {
    const objects = [
      pset('a'),
      pset('b', { labels: { team: 'y' } }),
      pset('c', { namespace: 'n' }),
    ];
    const findings = covered(objects, working({ selector: 'team=x' }));
    expect(findings.map(({ command }) => command)).toEqual([
      'kubectl -n ingest label pset/a pset/b team=x --overwrite',
      'kubectl -n n label pset/c team=x --overwrite',
    ]);
    const [whole] = covered(many(), working({ selector: 'team=x' }));
    expect(whole?.command).toBe(
      'kubectl -n ingest label pipesettings.pipewright.dev --all team=x --overwrite',
    );
  });

  test('for their labels, of a choice of objects: those that nobody looked at are left alone', () => {
    const report = new Report();
    judgeCoverage(many(), [working({ selector: 'team=x' })], {
      report,
      shell,
      selector: 'tier in (a, b)',
    });
    expect(report.findings.map(({ command }) => command)).toEqual([
      "kubectl -n ingest label pipesettings.pipewright.dev -l 'tier in (a, b)' team=x --overwrite",
    ]);
  });

  test('the labels that are given fit the selector, whatever labels there were', () => {
    const word = fc.constantFrom('a', 'b', 'c');
    const requirement = fc.oneof(
      word,
      word.map((key) => `!${key}`),
      fc.tuple(word, fc.constantFrom('=', '!='), word).map((parts) => parts.join('')),
      fc
        .tuple(word, fc.constantFrom('in', 'notin'), fc.array(word, { minLength: 1 }))
        .map(([key, operator, values]) => `${key} ${operator} (${values.join(',')})`),
    );
    const texts = fc.array(requirement, { minLength: 1, maxLength: 4 }).map((all) => all.join(','));
    fc.assert(
      fc.property(texts, fc.dictionary(word, word), (text, before) => {
        const read = labelSelector(text);
        if (!('value' in read)) throw new Error(read.problem);
        const labels = labelsFor(read.value);
        const after = labels && withLabels(before, labels);
        // With three words for keys and values, whether any labels fit can be tried.
        expect(after ? selects(read.value, after) : !anyFits(read.value)).toBe(true);
      }),
    );
  });
});

/** What `kubectl label` makes of them. */
function withLabels(
  before: Readonly<Record<string, string>>,
  labels: readonly string[],
): Record<string, string> {
  const after = new Map(Object.entries(before));
  for (const label of labels) {
    const [key = '', value] = label.split('=');
    if (value === undefined) after.delete(key.slice(0, -1));
    else after.set(key, value);
  }
  return Object.fromEntries(after);
}

function anyFits(selector: string): boolean {
  const values = ['', 'a', 'b', 'c', 'true', 'yes', undefined];
  return values.some((a) =>
    values.some((b) =>
      values.some((c) => {
        const labels = Object.entries({ a, b, c }).filter(([, value]) => value !== undefined);
        return selects(selector, Object.fromEntries(labels) as Record<string, string>);
      }),
    ),
  );
}

describe('what statuses say', () => {
  test('nothing of objects that are Ready, were never looked at, are suspended or planned', () => {
    expect(
      states(pset('a'), pset('b', { reason: 'Suspended' }), pset('c', { reason: 'Planned' })),
    ).toEqual([]);
  });

  test.each(['Unauthorized', 'RateLimited', 'Unavailable', 'OutcomeUnknown', 'Rejected'])(
    'of a thousand objects with %s is one finding',
    (reason) => {
      const findings = states(...many({ reason, side: 'Stalled' }));
      expect(findings).toHaveLength(1);
      expect(findings[0]?.says).toContain(
        '1000 objects (ingest/pset/p0, ingest/pset/p1, ingest/pset/p2 and 997 more)',
      );
    },
  );

  test('of a key is one finding for each Secret, with its own keys', () => {
    const reason = 'Forbidden';
    const other = { name: 'other', keyIdKey: 'id', keySecretKey: 'my-secret' };
    const findings = states(pset('a', { reason }), pset('b', { reason, secret: other }));
    expect(findings.map(({ object }) => object)).toEqual([
      'secret/management-api in namespace ingest',
      'secret/other in namespace ingest',
    ]);
    expect(findings[0]?.command).toBe(
      `[ -n "$PIPEWRIGHT_KEY_ID" ] && [ -n "$PIPEWRIGHT_KEY_SECRET" ] && printf '{"data":{"keyId":"%s","keySecret":"%s"}}' "$(printf %s "$PIPEWRIGHT_KEY_ID" | base64 | tr -d '\\n')" "$(printf %s "$PIPEWRIGHT_KEY_SECRET" | base64 | tr -d '\\n')" | kubectl -n ingest patch secret management-api --type=merge --patch-file=/dev/stdin`,
    );
  });

  test('of every other reason that is stalled leads to explain, and says who has to act', () => {
    const told = ['Unauthorized', 'Forbidden', 'RateLimited', 'Unavailable', 'OutcomeUnknown'];
    const ofSecrets = ['SecretNotFound', 'SecretInvalid'];
    const stalled = (reason: string) => states(pset('x', { reason, side: 'Stalled' }))[0];
    expect(ofSecrets.map(stalled)).toEqual([undefined, undefined]);
    for (const reason of told) expect(stalled(reason)?.check).toMatch(/^(keys|api)$/);
    const reasons = Object.keys(FAILURES) as (keyof typeof FAILURES)[];
    for (const reason of reasons.filter((one) => ![...told, ...ofSecrets].includes(one))) {
      expect(stalled(reason)?.command).toBe('kubectl pipewright explain pset/x -n ingest');
      expect(stalled(reason)?.says).toContain(REASONS[reason].acts[0]);
    }
    expect(states(pset('x', { reason: 'Conflict', side: 'Reconciling' }))).toEqual([]);
  });

  test('of a message with control characters is one plain line', () => {
    const message = 'no\u001b[2Jway\nFine: everything';
    const [finding] = states(pset('x', { reason: 'Rejected', side: 'Stalled', message }));
    expect(finding?.says).toContain('no [2Jway Fine: everything');
  });
});
