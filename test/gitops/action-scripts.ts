import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { type Action, CUSTOMIZATIONS, type Overrides } from './overrides.ts';

interface ActionTests {
  readonly discoveryTests: readonly { readonly inputPath: string; readonly result: Action[] }[];
  readonly actionTests: readonly {
    readonly action: string;
    readonly inputPath: string;
    readonly expectedOutputPath: string;
  }[];
}

/** States with lists in their status, empty ones too: Lua must give all of it back as it was. */
const WITH_A_FULL_STATUS = ['not-confirmed', 'removal-blocked', 'planned-when-done', 'fetched'];
/** Of an annotation that a reconcile action sets; in the expected output it is year 1. */
const NOW = /(reconcile-requested-at":")\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ /;

/**
 * The program of Argo CD offers the actions that each action_test.yaml says, and makes of an object
 * what it says; of a full status it changes nothing. Gives how many runs that were.
 */
export async function actionScripts(overrides: Overrides): Promise<number> {
  let runs = 0;
  for (const kind of await readdir(CUSTOMIZATIONS)) {
    const folder = join(CUSTOMIZATIONS, kind, 'actions');
    const tests = (await yamlOf(join(folder, 'action_test.yaml'))) as ActionTests;
    for (const { inputPath, result } of tests.discoveryTests) {
      const offered = await overrides.actions(join(folder, inputPath));
      assert.deepEqual(offered, result, `${kind} ${inputPath}`);
      runs += 1;
    }
    for (const { action, inputPath, expectedOutputPath } of tests.actionTests) {
      const left = await overrides.runAction(join(folder, inputPath), action);
      const text = JSON.stringify(left).replace(NOW, '$10001-01-01T00:00:00Z ');
      const expected = await yamlOf(join(folder, expectedOutputPath));
      assert.deepEqual(JSON.parse(text), expected, `${kind} ${action} of ${inputPath}`);
      runs += 1;
    }
    for (const state of WITH_A_FULL_STATUS) {
      const file = join(CUSTOMIZATIONS, kind, 'testdata', `${state}.yaml`);
      if (!existsSync(file)) continue;
      const before = (await yamlOf(file)) as { readonly spec: object };
      const expected = { ...before, spec: { ...before.spec, suspend: true } };
      assert.deepEqual(await overrides.runAction(file, 'suspend'), expected, `${kind} ${state}`);
      runs += 1;
    }
  }
  return runs;
}

async function yamlOf(file: string): Promise<unknown> {
  return parse(await readFile(file, 'utf8'));
}
