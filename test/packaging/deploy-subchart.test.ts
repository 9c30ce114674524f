import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findProgram } from '../controlplane/programs.ts';
import { BUILD_MS, CHART, HELMS, helm, refusal } from './helm.ts';

const DEPENDENCY = { name: 'pipewright', version: '0.1.0', condition: 'pipewright.enabled' };
const PARENT = { apiVersion: 'v2', name: 'platform', version: '1.0.0', dependencies: [DEPENDENCY] };
const VALUES = {
  global: { imagePullSecrets: ['mirror'], region: 'eu' },
  pipewright: { enabled: true, api: { url: 'https://api.example.com' } },
};
let parent: string;

beforeAll(async () => {
  for (const program of HELMS) await findProgram(program);
  parent = await mkdtemp(join(tmpdir(), 'pipewright-parent-'));
  await writeFile(join(parent, 'Chart.yaml'), JSON.stringify(PARENT));
  await writeFile(join(parent, 'values.yaml'), JSON.stringify(VALUES));
  await cp(CHART, join(parent, 'charts/pipewright'), { recursive: true });
}, BUILD_MS);
afterAll(() => rm(parent, { recursive: true }));

describe.each(HELMS)('below a parent chart, with %s', (program) => {
  const made = async (values: object): Promise<string> => {
    const args = ['template', 'platform', parent, '--kube-version', '1.36.0'];
    const { code, stdout, stderr } = await helm(args, { values, program });
    expect(code, stderr).toBe(0);
    return stdout;
  };

  test("the chart takes the parent's condition and Secrets", async () => {
    const text = await made({});
    expect(text).toContain('name: platform-pipewright\n');
    expect(text).toMatch(/^ +imagePullSecrets:\n +- name: mirror$/m);
    expect((await made({ pipewright: { enabled: false } })).trim()).toBe('');
  });
});

test.each([
  [{ enabled: false }, 'enabled is for the condition of a parent chart'],
  [{ global: { imagePullSecrets: 'mirror' } }, "at '/global/imagePullSecrets': got string"],
  [{ global: { imagePullSecrets: [{}] } }, "missing property 'name'"],
])('%j is refused', async (values, why) => {
  expect(await refusal({ ...VALUES.pipewright, enabled: undefined, ...values })).toContain(why);
});
