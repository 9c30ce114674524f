import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { STATES } from '../support/state-table.ts';
import { CUSTOMIZATIONS, type Health, type Overrides } from './overrides.ts';

interface HealthTests {
  readonly tests: readonly { readonly healthStatus: Health; readonly inputPath: string }[];
}

/** Argo CD itself says so of what is being deleted, and asks no script. */
const DELETED: Health = { status: 'Progressing', message: 'Pending deletion' };

/**
 * The program of Argo CD gives every stored state the health that its test and the table say; gives
 * how many there were.
 */
export async function healthChecks(overrides: Overrides): Promise<number> {
  let checked = 0;
  for (const kind of await readdir(CUSTOMIZATIONS)) {
    const folder = join(CUSTOMIZATIONS, kind);
    const { tests } = parse(
      await readFile(join(folder, 'health_test.yaml'), 'utf8'),
    ) as HealthTests;
    for (const file of await readdir(join(folder, 'testdata'))) {
      const said = await overrides.health(join(folder, 'testdata', file));
      const state = file.replace(/\.yaml$/, '');
      assert.equal(said.status, STATES[state]?.argocd, `${kind} ${state}`);
      const test = tests.find(({ inputPath }) => inputPath === `testdata/${file}`);
      assert.deepEqual(said, test?.healthStatus ?? DELETED, `${kind} ${state}`);
      checked += 1;
    }
  }
  return checked;
}
