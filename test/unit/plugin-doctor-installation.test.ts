import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { Working } from '../../src/cli/doctor/coverage.ts';
import { type CrdReading, differenceOf, judgeCrds } from '../../src/cli/doctor/crds.ts';
import { watchLeading } from '../../src/cli/doctor/leading.ts';
import {
  RIGHTS_ON_EVENTS,
  RIGHTS_ON_OBJECTS,
  RIGHTS_ON_SECRETS,
  type Right,
  rightsOnLease,
} from '../../src/cli/doctor/needed-rights.ts';
import { Report } from '../../src/cli/doctor/report.ts';
import { checkRights } from '../../src/cli/doctor/rights.ts';
import { secretUses } from '../../src/cli/doctor/secrets.ts';
import { judgeVersions, newerOperator } from '../../src/cli/doctor/versions.ts';
import { definitions } from '../../src/kinds/definitions.ts';
import { definition } from '../../src/kinds/pipe-settings/definition.ts';
import { customResourceDefinition } from '../../src/kinds/schema/manifest.ts';
import type { KubeObject } from '../../src/kube/resource.ts';
import { deployment, fakeKubectl, lease, pset, shell, working } from '../support/doctor.ts';
import { FakeClock } from '../support/fake-clock.ts';

describe('the CRDs', () => {
  const crd = (edit: (text: string) => string = (text) => text) =>
    JSON.parse(edit(JSON.stringify(customResourceDefinition(definition)))) as KubeObject;

  test('that this version makes differ nowhere', () => {
    for (const one of definitions)
      expect(differenceOf(one, customResourceDefinition(one))).toBeUndefined();
  });

  test.each([
    ['a bound', '"maximum":60000', '"maximum":1', /^v1alpha1\.spec\.settings\.\w+\.maximum$/],
    ['a field', '"pipeId":', '"pipe":', /^v1alpha1\.spec\.(required|pipeId)$/],
    ['a field more', '"pipeId":{', '"more":{},"pipeId":{', /^v1alpha1\.spec\.more$/],
    ['a column', '"name":"Reason"', '"name":"Why"', /^v1alpha1\.additionalPrinterColumns$/],
    ['a short name', '"pset"', '"ps"', /^names\.shortNames$/],
    ['the version', '"name":"v1alpha1"', '"name":"v1"', /^version v1alpha1, which it lacks$/],
  ])('are told apart by %s', (_, from, to, at) => {
    const text = JSON.stringify(crd());
    expect(text).toContain(from);
    expect(
      differenceOf(
        definition,
        crd((one) => one.replace(from, to)),
      ),
    ).toMatch(at);
  });

  test('of an operator that is newer than the plugin are not to be overwritten', () => {
    const old: CrdReading = {
      name: 'pipesettings.pipewright.dev',
      definition,
      found: crd((text) => text.replace('"maximum":60000', '"maximum":1')),
    };
    const judged = (newerOperator?: string) => {
      const report = new Report();
      judgeCrds([old], { report, shell, ...(newerOperator !== undefined && { newerOperator }) });
      return report.findings;
    };
    expect(judged()[0]?.command).toContain('kubectl pipewright crds | kubectl apply');
    expect(judged('9.0.0')).toMatchObject([
      { check: 'crds', says: expect.stringContaining('install kubectl-pipewright 9.0.0') },
    ]);
    expect(judged('9.0.0')[0]?.command).toBeUndefined();
  });
});

describe('the rights that are asked for', () => {
  test('are those of the manifests, all and no others', async () => {
    const file = new URL('../../deploy/kustomize/base/rbac.yaml', import.meta.url);
    const given = parseAllDocuments(await readFile(file, 'utf8')).flatMap((document) => {
      const { kind, rules = [] } = document.toJS() as { kind: string; rules?: Rule[] };
      return rules.flatMap((rule) => flat(kind, rule));
    });
    const asked = [
      ...[...RIGHTS_ON_OBJECTS, RIGHTS_ON_SECRETS, RIGHTS_ON_EVENTS].flatMap((right) =>
        flat('ClusterRole', ruleOf(right)),
      ),
      ...rightsOnLease('pipewright').flatMap((right) => flat('Role', ruleOf(right))),
    ];
    expect(asked.toSorted()).toEqual(given.toSorted());
  });

  interface Rule {
    readonly apiGroups: readonly string[];
    readonly resources: readonly string[];
    readonly resourceNames?: readonly string[];
    readonly verbs: readonly string[];
  }
  const ruleOf = ({ group, resources, verbs, name }: Right): Rule => ({
    apiGroups: [group],
    resources,
    verbs,
    ...(name !== undefined && { resourceNames: [name] }),
  });
  const flat = (kind: string, rule: Rule): string[] =>
    rule.apiGroups.flatMap((group) =>
      rule.resources.flatMap((resource) =>
        rule.verbs.map(
          (verb) => `${kind} ${group}/${resource} ${(rule.resourceNames ?? []).join()} ${verb}`,
        ),
      ),
    );

  interface Asked {
    readonly namespace?: string;
    readonly resource: string;
    readonly subresource?: string;
    readonly verb: string;
    readonly name?: string;
  }

  /** What is found where these are refused. */
  async function found(
    isRefused: (asked: Asked) => boolean,
    namespaces: readonly string[] = [],
    secrets: readonly string[] = ['management-api'],
    operator: Partial<Working> = {},
  ) {
    const report = new Report();
    const asked: Asked[] = [];
    const kubectl = fakeKubectl((_, input) => {
      const { items } = JSON.parse(input) as {
        items: { spec: { user: string; groups: string[]; resourceAttributes: Asked } }[];
      };
      for (const { spec } of items) {
        expect(spec.user).toMatch(/^system:serviceaccount:pipewright2?:operator$/);
        expect(spec.groups).toContain(`system:serviceaccounts:${spec.user.split(':')[2]}`);
        asked.push(spec.resourceAttributes);
      }
      return items.map(({ spec }) => `${!isRefused(spec.resourceAttributes)}\n`).join('');
    });
    const objects = secrets.map((name, at) =>
      pset(`p${at}`, { secret: { name }, namespace: namespaces[0] ?? 'ingest' }),
    );
    const options = { kubectl, report, shell, secrets: secretUses(objects) };
    await checkRights({ ...working({ namespaces }), ...operator }, options);
    return { findings: report.findings, asked, report };
  }

  test('are asked for in each namespace where it works in some, else for all at once', async () => {
    const everywhere = await found(() => false);
    expect(everywhere.findings).toEqual([]);
    expect(new Set(everywhere.asked.map(({ namespace }) => namespace))).toEqual(
      new Set([undefined, 'pipewright']),
    );
    const some = await found(() => false, ['a', 'b']);
    expect(new Set(some.asked.map(({ namespace }) => namespace))).toEqual(
      new Set(['a', 'b', 'pipewright']),
    );
  });

  test('that are missing are given with a Role in each namespace, or a ClusterRole', async () => {
    const isRefused = ({ subresource }: Asked): boolean => subresource === 'status';
    const [one] = (await found(isRefused)).findings;
    const [name = ''] =
      /operator-pipesettings-status-update-[0-9a-f]{8}/.exec(one?.command ?? '') ?? [];
    const applied = '--dry-run=client -o yaml | kubectl apply --server-side --force-conflicts -f -';
    expect(one?.command).toBe(
      `kubectl create clusterrole ${name} --verb=update --resource=pipesettings.pipewright.dev/status ${applied} && kubectl create clusterrolebinding ${name} --clusterrole=${name} --serviceaccount=pipewright:operator ${applied}`,
    );
    const [each] = (await found(isRefused, ['a', 'b'])).findings;
    expect(each?.says).toContain('in namespace a, update pipesettings/status of pipewright.dev in');
    expect(each?.command?.match(/ create role /g)).toHaveLength(2);
  });

  test('are given by a role of a name of its own for each Secret and each ServiceAccount', async () => {
    const refused = ({ resource }: Asked): boolean => resource === 'secrets';
    const roleOf = async (secret: string, operator?: Partial<Working>) => {
      const { findings } = await found(refused, [], [secret], operator);
      return / create role (\S+) /.exec(findings[0]?.command ?? '')?.[1];
    };
    const one = await roleOf('one');
    expect(one).toBeDefined();
    expect(await roleOf('one')).toBe(one);
    expect(await roleOf('two')).not.toBe(one);
    const elsewhere = { ...deployment(), namespace: 'pipewright2' };
    expect(await roleOf('one', { deployment: elsewhere })).not.toBe(one);
  });

  test('are given to none that anybody may have made up', async () => {
    const doubt = 'Say whether it is yours.';
    const { findings } = await found(() => true, [], ['one'], { doubt });
    expect(findings.length).toBeGreaterThan(1);
    for (const { command, says } of findings) {
      expect(command).toBeUndefined();
      expect(says).toMatch(/ may not .* Say whether it is yours\.$/);
    }
  });

  test('on the Lease are given by its name, and to create one without', async () => {
    const { findings } = await found(({ resource }) => resource === 'leases');
    expect(findings).toHaveLength(1);
    const command = findings[0]?.command ?? '';
    expect(command).toContain(
      '--verb=get,list,watch,update --resource=leases.coordination.k8s.io --resource-name=pipewright --dry-run',
    );
    expect(command).toContain('--verb=create --resource=leases.coordination.k8s.io --dry-run');
  });

  test('on Secrets may be given by name: only those that are referred to count', async () => {
    const named = ['one', 'two'];
    const byName = ({ resource, name }: Asked): boolean => resource === 'secrets' && name !== 'one';
    expect((await found(byName, [], ['one'])).findings).toEqual([]);
    const { findings } = await found(byName, [], named);
    expect(findings).toHaveLength(1);
    expect(findings[0]?.command).toContain('--resource-name=two');
    expect(findings[0]?.command).not.toContain('--resource-name=one');
    const many = Array.from({ length: 1_000 }, (_, at) => `s${at}`);
    expect((await found(byName, [], many)).findings).toHaveLength(1);
  });

  test('on Secrets that are not given are unknown where no object names one', async () => {
    const { findings, report } = await found(({ resource }) => resource === 'secrets', [], []);
    expect(findings).toEqual([]);
    expect(report.checked).toEqual([]);
    expect(report.notChecked).toEqual([
      {
        check: 'rights',
        says: 'The operator pipewright in namespace pipewright may not get, list, watch secrets in all namespaces. It may be allowed those that it needs by their names, which is not known, as no object here refers to one. Run doctor again once there are objects, or with -A, which looks at all namespaces.',
      },
    ]);
    expect((await found(() => false, [], [])).report.checked).toEqual(['rights']);
  });
});

describe('a leader', () => {
  /** What is said of an operator whose Lease is these, one look after the other. */
  async function judged(...looks: readonly object[]) {
    const clock = new FakeClock();
    let look = 0;
    const kubectl = fakeKubectl(() => JSON.stringify(looks[Math.min(++look, looks.length - 1)]));
    const first = looks[0] as ReturnType<typeof lease>;
    const leading = watchLeading(
      { ...working(), lease: first },
      { kubectl, clock, stop: new AbortController().signal, isOneOfSeveral: false },
    );
    const started = clock.monotonic();
    let took = 0;
    void leading.then(() => {
      took = clock.monotonic() - started;
    });
    for (let step = 0; step < 80; step += 1) await clock.advance(250);
    return { ...(await leading), took };
  }

  test('is one that is seen to renew, whatever time it writes', async () => {
    const old = lease('pipewright', { renewed: '1999-01-01T00:00:00.000000Z' });
    const renewed = lease('pipewright', { renewed: '1998-01-01T00:00:00.000000Z' });
    expect(await judged(old, old, old, renewed)).toMatchObject({ leads: true, took: 1_500 });
  });

  test('is none that is silent for the whole of its Lease, however new its time', async () => {
    const silent = lease('pipewright', { renewed: '2099-01-01T00:00:00.000000Z' });
    const { leads, took } = await judged(silent);
    expect([leads, took]).toEqual([false, 15_000]);
  });

  test('is one that takes a Lease which was released, and none where nobody does', async () => {
    const free = lease('pipewright', { holder: '' });
    expect(await judged(free, lease('pipewright'))).toMatchObject({ leads: true });
    const { took, ...said } = await judged(free);
    expect(said).toEqual({ leads: false, why: 'its Lease pipewright is held by nobody' });
    expect(took).toBeLessThan(6_000);
  });

  test('cannot be seen without a Lease', async () => {
    const installed = deployment({ PIPEWRIGHT_LEADER_ELECT: 'false' });
    const said = await watchLeading(working({}, installed), {
      kubectl: fakeKubectl(() => 'Error'),
      clock: new FakeClock(),
      stop: new AbortController().signal,
      isOneOfSeveral: false,
    });
    expect(said).toMatchObject({
      leads: 'unknown',
      why: expect.stringContaining('cannot be seen'),
    });
  });
});

test.each([
  [
    '0.9.0',
    /has version 0\.9\.0, and this plugin 1\.0\.0/,
    'helm upgrade ours deploy/helm/pipewright',
  ],
  ['2.0.0', /install the plugin of the operator's version/, undefined],
])(
  'an operator of version %s is told, and upgraded where it is the older one',
  (version, says, command) => {
    const report = new Report();
    const works = { ...working({}, deployment({}, { helm: true })) };
    const announced = { version, namespaces: [], selector: '', secretSelector: '', apiUrl: '' };
    const operator = { ...works, announced: { ...announced, planOnly: false } };
    judgeVersions([operator], { report, shell, version: '1.0.0' });
    expect(report.findings).toMatchObject([
      { check: 'version', says: expect.stringMatching(says) },
    ]);
    expect(report.findings[0]?.command?.split(' --')[0]).toBe(command);
  },
);

test.each(['abc', '1.x'])('an operator of version %j is neither old nor new', (version) => {
  const report = new Report();
  const announced = { version, namespaces: [], selector: '', secretSelector: '', apiUrl: '' };
  const operator = {
    ...working({}, deployment({}, { helm: true })),
    announced: { ...announced, planOnly: false },
  };
  judgeVersions([operator], { report, shell, version: '1.0.0' });
  expect(newerOperator([operator], '1.0.0')).toBeUndefined();
  expect(report.findings).toEqual([]);
  expect(report.notChecked).toEqual([
    {
      check: 'version',
      says: `The operator pipewright in namespace pipewright has version ${version}, and this plugin 1.0.0: one of them is no version like 1.2.3, so which is older is not known. Use the plugin that the image of the operator has: start it with the argument plugin.`,
    },
  ]);
});

describe('a report', () => {
  test('has no text that steers a terminal, and no command that is made of one', () => {
    const report = new Report();
    report.find({
      check: 'objects',
      object: 'a\u001b[1m',
      says: 'b\n\u202ec',
      command: "run 'd\u0007'",
    });
    report.cannot('api', 'e\u001b]0;f');
    expect(JSON.stringify(report)).not.toMatch(/\\u|\u202e/);
    expect(report.findings).toEqual([
      {
        check: 'objects',
        object: 'a [1m',
        says: expect.stringMatching(/^b {2}c No command is given/),
      },
    ]);
    expect(report.notChecked).toEqual([{ check: 'api', says: 'e ]0;f' }]);
  });
});
