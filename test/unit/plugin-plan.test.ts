import { describe, expect, test } from 'vitest';
import { kubectlBy } from '../../src/cli/kubectl.ts';
import { readDocuments } from '../../src/cli/plan/documents.ts';
import { dryRun } from '../../src/cli/plan/dry-run.ts';
import { readManifests } from '../../src/cli/plan/manifests.ts';
import { markdown } from '../../src/cli/plan/markdown.ts';
import { plannedOf } from '../../src/cli/plan/planned.ts';
import { preview } from '../../src/cli/plan/preview.ts';
import { json, text } from '../../src/cli/plan/print.ts';
import { definition as organization } from '../../src/kinds/organization/definition.ts';
import { definition as pipeSettings } from '../../src/kinds/pipe-settings/definition.ts';
import type { KubeObject } from '../../src/kube/resource.ts';
import { KindStage } from '../support/kind-stage.ts';
import { T0 } from '../support/objects.ts';
import { e } from '../support/organization-entries.ts';

const ORGANIZATION = '7f0e0b1d-0000-4000-8000-000000000000';
const SECRET = { credentialsSecretRef: { name: 'api' } };
const PIPE = { organizationId: 'o', serviceId: 's', pipeId: 'p', ...SECRET };
const ACME = { organizationId: ORGANIZATION, ...SECRET };

function stageOf(definition: typeof pipeSettings): KindStage {
  return new KindStage(definition);
}

/** What applying this spec now makes the operator send, by the plan. */
function planOf(stage: KindStage, kind: string, spec: object) {
  return preview({ kind, ...stage.applied('one', spec) }, stage.clock.now());
}

async function apply(stage: KindStage, spec: object): Promise<void> {
  stage.sent = [];
  stage.apply('one', spec);
  await stage.settle('one');
}

describe('what is planned is what the operator sends', () => {
  test.each([
    [
      'a pipe',
      pipeSettings,
      { ...PIPE, settings: { engine_max_threads: 4 } },
      { ...PIPE, settings: { engine_max_threads: 8, engine_max_insert_threads: 2 } },
      ['engine_max_threads', 'engine_max_insert_threads'],
    ],
    [
      'an organization',
      organization,
      { ...ACME, name: 'Acme', privateEndpoints: [e('psc-1'), e('psc-2')] },
      { ...ACME, name: 'Acme Data', privateEndpoints: [e('psc-2'), e('psc-3')] },
      ['name', 'privateEndpoints[psc-3]', 'privateEndpoints[psc-1]'],
    ],
  ])(
    'for %s, first without a reply and then from the last one',
    async (_, definition, first, next, fields) => {
      const stage = stageOf(definition);
      const { kind } = definition.type;
      const asNew = planOf(stage, kind, first);
      expect(asNew).toMatchObject({ does: 'send', basis: 'Unknown' });
      await apply(stage, first);
      // Of an organization nothing but the look is certain before a reply.
      expect(stage.sent).toHaveLength(kind === 'Organization' ? 3 : 1);
      expect(stage.sent.slice(0, 1)).toMatchObject(asNew.requests);

      expect(planOf(stage, kind, first)).toMatchObject({ does: 'nothing', requests: [] });
      const edited = planOf(stage, kind, next);
      expect(edited).toMatchObject({ does: 'send', basis: 'LastResponse' });
      expect(edited.changes.map(({ field }) => field)).toEqual(fields);
      await apply(stage, next);
      expect(stage.sent).toEqual(edited.requests);
    },
  );
});

describe('nothing is sent', () => {
  const settings = { engine_max_threads: 4 };
  test.each([
    ['suspend', { suspend: true }, 'spec.suspend is true'],
    ['mode Plan', { mode: 'Plan' }, 'spec.mode is Plan'],
  ])('with %s, and what would be is shown', (_, more, why) => {
    const shown = planOf(stageOf(pipeSettings), 'PipeSettings', { ...PIPE, settings, ...more });
    expect(shown.does).toBe('withheld');
    expect(shown.says).toContain(why);
    expect(shown.requests).toHaveLength(1);
  });

  test('for what is being deleted, and for a record that is there', () => {
    const stage = stageOf(pipeSettings);
    const object = stage.applied('one', { ...PIPE, settings });
    const deletionTimestamp = '2026-03-01T11:00:00Z';
    const deleted = { ...object, metadata: { ...object.metadata, deletionTimestamp } };
    expect(preview({ kind: 'PipeSettings', ...deleted }, T0).does).toBe('nothing');

    const spec = { organizationId: 'o', activityId: 'a-b', ...SECRET };
    const record: KubeObject = { ...object, kind: 'Activity', spec };
    expect(preview(record, T0).requests).toEqual([
      { method: 'GET', path: '/v1/organizations/o/activities/a-b' },
    ]);
    expect(preview({ ...record, status: { activity: { id: 'a-b' } } }, T0).does).toBe('nothing');
  });

  test('but a look, where more would be removed than the spec allows', async () => {
    const stage = stageOf(organization);
    const spec = { ...ACME, maxPrivateEndpointRemovals: 0, privateEndpoints: [e('psc-1')] };
    await apply(stage, spec);
    const shown = planOf(stage, 'Organization', { ...spec, privateEndpoints: [] });
    expect(shown).toMatchObject({ does: 'blocked', requests: [{ method: 'PATCH' }] });
    expect(shown.says).toContain('more than spec.maxPrivateEndpointRemovals allows');
  });
});

function planned(source: string) {
  const manifests = readManifests(readDocuments([{ path: 'all.yaml', text: source }]));
  return plannedOf(manifests, { namespace: 'here', results: undefined, now: T0 });
}

const ORDERS = `apiVersion: pipewright.dev/v1alpha1
kind: PipeSettings
metadata:
  name: orders
spec:
  organizationId: "o"
  serviceId: "s"
  pipeId: "p"
  credentialsSecretRef: { name: api }
  settings:
    engine_max_threads: 8
`;

describe('with the API server', () => {
  const { ours } = readManifests(
    readDocuments([{ path: 'all.yaml', text: `${ORDERS}---\n${ORDERS}` }]),
  );
  const asked = (stderr: string) => {
    let runs = 0;
    const kubectl = kubectlBy(() => {
      runs += 1;
      return Promise.resolve({ code: 1, stdout: '', stderr });
    });
    return { planned: dryRun(ours, kubectl, undefined), runs: () => runs };
  };

  test('one that cannot be asked is asked once', async () => {
    const said =
      'error validating "STDIN": error validating data: failed to download openapi: connection refused';
    const { planned, runs } = asked(said);
    await expect(planned).rejects.toThrow(said);
    expect(runs()).toBe(1);
  });

  test('who is refused is found by halves, and its content is not repeated', async () => {
    const said = 'The request is invalid: patch: Invalid value: "{"a": 1}": json: cannot unmarshal';
    const { planned, runs } = asked(said);
    expect([...(await planned).values()]).toEqual(
      [1, 13].map((line) => ({
        problem: {
          file: 'all.yaml',
          line,
          message:
            'the API server refuses it: The request is invalid: patch: Invalid value: json: cannot unmarshal',
        },
      })),
    );
    expect(runs()).toBe(3);
  });
});

describe('files', () => {
  test('of several documents and a List are read, and other kinds counted', () => {
    const other = '---\napiVersion: v1\nkind: Service\n---\n# nothing\n';
    const item = ORDERS.replace(/^/gm, '    ').replace('    apiVersion', '  - apiVersion');
    const list = `---\napiVersion: v1\nkind: List\nitems:\n${item.replace('orders', 'more')}`;
    const { objects, skipped } = planned(`${ORDERS}${other}${list}`);
    expect(objects.map(({ name, namespace, place }) => [name, namespace, place.line])).toEqual([
      ['orders', 'here', 1],
      ['more', 'here', 21],
    ]);
    expect(skipped).toBe(1);
  });

  test('as JSON too', () => {
    const [first] = readDocuments([{ path: 'a.yaml', text: ORDERS }]);
    const { objects } = planned(JSON.stringify(first?.value, null, '\t'));
    expect(objects.map(({ name, problems }) => [name, problems])).toEqual([['orders', []]]);
  });

  test.each([
    ['engine_max_threads: 8', 'engine_max_threads: 99', 11, 'spec.settings.engine_max_threads'],
    ['name: orders', 'name: orders\n  namespace: 5', 5, 'must be the name of a namespace, not 5'],
    ['name: orders', 'name: orders\n  labels: { a: 1 }', 5, 'a label must be a string, not 1'],
    [
      'engine_max_threads: 8',
      'engine_max_threads: 8\n    engine_max: 8',
      12,
      'is not a known field',
    ],
    ['  pipeId: "p"\n', '', 5, 'spec.pipeId is required'],
    ['name: orders', 'name: Orders', 4, 'not "Orders"'],
    ['v1alpha1', 'v1', 1, 'apiVersion must be pipewright.dev/v1alpha1, not "pipewright.dev/v1"'],
    ['kind: PipeSettings', 'kind: Pipe', 2, 'kind must be one of'],
  ])('what is not valid is told with the line of its field: %s → %s', (from, to, line, says) => {
    const { objects, strays } = planned(ORDERS.replace(from, to));
    const problems = [...strays, ...objects.flatMap((object) => object.problems)];
    expect(problems).toEqual([{ file: 'all.yaml', line, message: expect.stringContaining(says) }]);
  });

  test.each([
    ['a: [1', 1],
    ['a: 1\nb: *nowhere\n', 1],
    ['a: 1\n\nb: }\n', 3],
  ])('that are no YAML are told with the line: %j', (source, line) => {
    expect(() => planned(source)).toThrow(`all.yaml:${line}: `);
  });
});

describe('what is printed', () => {
  const both = `${ORDERS}---\n${ORDERS.replace('orders', 'broken').replace(': 8', ': 99')}`;

  test('has what needs a look first, and each request', () => {
    const lines = text(planned(both));
    expect(lines[0]).toBe('2 objects: 1 is not valid, 1 sends something; 1 request in all.');
    const titles = lines.filter((line) => line.startsWith('PipeSettings'));
    expect(titles).toEqual([
      'PipeSettings here/broken, all.yaml:13',
      'PipeSettings here/orders, all.yaml:1',
    ]);
    expect(lines).toContain('    engine_max_threads: ? → 8');
    expect(lines).toContain('    PUT /v1/organizations/o/services/s/pipes/p/settings');
    expect(lines).toContain('      {"engine_max_threads":8}');
  });

  test('as JSON has the same for programs', () => {
    const told = JSON.parse(json(planned(both)).join('\n'));
    expect(told).toMatchObject({
      offline: true,
      objects: [
        { name: 'orders', line: 1, does: 'send', requests: [{ method: 'PUT' }] },
        { name: 'broken', line: 13, does: 'invalid', problems: [{ line: 23 }] },
      ],
    });
  });

  test('as Markdown folds the details', () => {
    const page = markdown(planned(both)).join('\n');
    expect(page).toContain(
      '| `PipeSettings here/orders` | sends something | engine\\_max\\_threads',
    );
    expect(page).toContain('- `all.yaml:23` spec.settings.engine\\_max\\_threads');
    expect(page.match(/<details>/g)).toHaveLength(1);
  });

  test('whatever others have written, it is no markup, and ends no fence', () => {
    const hostile = `</details><b>@all</b> \`\`\`\` | \u001b[31m`;
    const spec = `spec:\n  organizationId: ${ORGANIZATION}\n  credentialsSecretRef: { name: api }`;
    const source = `apiVersion: pipewright.dev/v1alpha1\nkind: Organization\nmetadata: { name: acme }\n${spec}\n  name: ${JSON.stringify(hostile)}\n`;
    const page = markdown(planned(source)).join('\n');
    expect(page).toContain('`````\nname: ? → ');
    expect(page).not.toContain('\u001b');
    const unfenced = page.replace(/`{5}\n[^]*?\n`{5}/g, '');
    expect(unfenced.match(/<\/details>/g)).toHaveLength(1);
    const ours = /<\/?(details|summary)>/g;
    expect(unfenced.replace(ours, '')).not.toMatch(/[<@]/);
  });
});
