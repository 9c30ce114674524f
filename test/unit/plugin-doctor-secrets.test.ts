import { expect, test } from 'vitest';
import { Report } from '../../src/cli/doctor/report.ts';
import { checkSecrets, secretUses } from '../../src/cli/doctor/secrets.ts';
import { fakeKubectl, pset, shell, working } from '../support/doctor.ts';

const VALUE = 'do-not-show-this';
const coded = (text: string): string => Buffer.from(text).toString('base64');
const secret = (name: string, data: Readonly<Record<string, string>>, more: object = {}) => ({
  metadata: { name, namespace: 'ingest', resourceVersion: '1' },
  data: Object.fromEntries(Object.entries(data).map(([key, value]) => [key, coded(value)])),
  ...more,
});

async function found(
  stored: readonly object[] | string,
  objects = [pset('x')],
  operators = [working()],
) {
  const report = new Report();
  const kubectl = fakeKubectl(() =>
    typeof stored === 'string' ? stored : JSON.stringify({ items: stored }),
  );
  await checkSecrets(secretUses(objects), { kubectl, report, shell, operators });
  expect(JSON.stringify([report.findings, report.notChecked])).not.toContain(VALUE);
  expect(JSON.stringify([report.findings, report.notChecked])).not.toContain(coded(VALUE));
  return report;
}

test('Secrets that the operator can use are fine, also those of other kinds and keys', async () => {
  const basic = secret(
    'basic',
    { username: 'id', password: VALUE },
    { type: 'kubernetes.io/basic-auth' },
  );
  const stored = [secret('management-api', { keyId: 'id', keySecret: VALUE }), basic];
  const objects = [pset('a'), pset('b', { secret: { name: 'basic' } })];
  const report = await found(stored, objects);
  expect(report.findings).toEqual([]);
  expect(report.checked).toEqual(['secrets']);
});

test('Secrets that are half are completed under the keys that the objects use, in a Secret of its type', async () => {
  const basic = secret('management-api', { password: VALUE }, { type: 'kubernetes.io/basic-auth' });
  const [finding] = (await found([basic])).findings;
  expect(finding?.says).toContain('it has no key "username" (its keys: "password")');
  expect(finding?.command).toContain(`printf '{"data":{"username":"%s","password":"%s"}}'`);
});

test('Secrets that are missing are one finding for all objects that refer to them', async () => {
  const objects = Array.from({ length: 1_000 }, (_, at) => pset(`p${at}`));
  const { findings } = await found('', objects);
  expect(findings).toHaveLength(1);
  expect(findings[0]?.says).toContain('does not exist in namespace "ingest"');
  expect(findings[0]?.command).toBe(
    `[ -n "$PIPEWRIGHT_KEY_ID" ] && [ -n "$PIPEWRIGHT_KEY_SECRET" ] && printf %s "$PIPEWRIGHT_KEY_SECRET" | kubectl -n ingest create secret generic management-api --from-literal=keyId="$PIPEWRIGHT_KEY_ID" --from-file=keySecret=/dev/stdin`,
  );
});

test.each([
  { name: '--kubeconfig=x' },
  { name: '..', keyIdKey: '' },
  { name: 'ok', keyIdKey: 'a b' },
  { name: 'ok', keySecretKey: 'k="$HOME"' },
  { name: 'ok', keySecretKey: 7 },
])(
  'Secrets of a choice that no CRD of this version lets in are not asked for: %j',
  async (secret) => {
    expect(secretUses([pset('x', { secret })])).toEqual([]);
  },
);

test('Secrets get no labels that an operator asks for which anybody may have made up', async () => {
  const stored = [secret('management-api', { keyId: 'id', keySecret: VALUE })];
  const operators = [{ ...working({ secretSelector: 'use=api' }), doubt: 'Is it yours?' }];
  const [finding] = (await found(stored, [pset('x')], operators)).findings;
  expect(finding?.command).toBeUndefined();
  expect(finding?.says).toMatch(/ Is it yours\?$/);
});

test('Secrets without the labels that the operator asks for are labelled', async () => {
  const stored = [secret('management-api', { keyId: 'id', keySecret: VALUE })];
  const operators = [working({ secretSelector: 'use=api' })];
  const [finding] = (await found(stored, [pset('x')], operators)).findings;
  expect(finding?.command).toBe(
    'kubectl -n ingest label secret management-api use=api --overwrite',
  );
});

test('Secrets that the user may not read are told by the objects, and are not called fine', async () => {
  const objects = [pset('a', { reason: 'SecretInvalid', message: 'half' }), pset('b')];
  const report = await found('Error: Forbidden', objects);
  expect(report.findings).toMatchObject([{ says: expect.stringContaining('half.') }]);
  expect(report.checked).toEqual([]);
  expect(report.notChecked).toMatchObject([{ check: 'secrets' }]);
});
