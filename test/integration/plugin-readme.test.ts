import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { kubectl } from '../controlplane/client.ts';
import { plugin } from '../support/plugin.ts';
import { openScene, type Scene } from '../support/scene.ts';

const ROOT = join(import.meta.dirname, '../..');

let scene: Scene;
beforeAll(async () => {
  scene = await openScene();
});
afterAll(() => scene.end());

/** The first block of the README that begins with this command, without its indent. */
async function blockOf(command: string): Promise<string[]> {
  const readme = await readFile(join(ROOT, 'README.md'), 'utf8');
  const lines = readme.split('\n');
  const start = lines.findIndex((line) => line === `    $ ${command}`);
  expect(start, command).toBeGreaterThan(0);
  const rest = lines.slice(start + 1);
  const end = rest.findIndex((line) => line !== '' && !line.startsWith('    '));
  return rest
    .slice(0, end)
    .map((line) => line.slice(4))
    .filter((line) => line !== '');
}

/** Without what another run has otherwise: times, ages, request ids. */
function evened(text: string): string {
  return text
    .replaceAll(scene.namespace, 'ingest')
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, 'TIME')
    .replaceAll(/\d+[smhd] ago/g, 'AGO')
    .replaceAll(/in \d+[smhd]\b/g, 'SOON')
    .replaceAll(/(request|Request) +[0-9a-f-]{4,36}…?/g, '$1 ID');
}

/** Each line of the block is a line of the output, or begins one where it ends in `…`; in order. */
function expectLines(block: readonly string[], output: string): void {
  const lines = evened(output).split('\n');
  let from = 0;
  for (const line of block.filter((one) => one.trim() !== '…')) {
    const shown = evened(line).replace(/ …$/, '');
    const at = lines.findIndex((one, index) => index >= from && one.startsWith(shown));
    expect(at, `${JSON.stringify(shown)} in\n${lines.join('\n')}`).toBeGreaterThanOrEqual(0);
    from = at + 1;
  }
}

test('what the README shows of plan and explain is what they print', async () => {
  const example = await readFile(join(ROOT, 'deploy/examples/pipesettings.yaml'), 'utf8');
  const manifest = example.replace('namespace: ingest', `namespace: ${scene.namespace}`);
  const apply = async (text: string): Promise<void> => {
    const { code, stderr } = await kubectl(['apply', '-f', '-'], text);
    expect(code, stderr).toBe(0);
  };
  await apply(manifest);
  await scene.psets.until('orders', 'Applied');
  const edited = manifest.replace(
    'object_storage_concurrency: 8',
    'object_storage_concurrency: 12',
  );
  const url = ['--api-url', scene.simulator.url];
  const plan = await plugin(['plan', '-f', '-', ...url], { input: edited });
  expect(plan.code).toBe(2);
  const planned = plan.stdout.replaceAll('(stdin)', 'orders.yaml');
  expectLines(await blockOf('kubectl pipewright plan -f orders.yaml'), planned);
  scene.simulator.setKey(scene.key.id, scene.key.secret, { disabled: true });
  await apply(edited);
  await scene.psets.until('orders', 'Unauthorized');
  const explain = await plugin(['explain', 'pset/orders', '-n', scene.namespace]);
  expectLines(await blockOf('kubectl pipewright explain pset/orders -n ingest'), explain.stdout);
});
