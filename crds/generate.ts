import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { toYaml } from '../src/cli/yaml.ts';
import { definitions } from '../src/kinds/definitions.ts';
import { customResourceDefinition } from './manifest.ts';
import { referencePage } from './reference.ts';

/**
 * `node crds/generate.ts [--check] [folder]`: writes the CRDs and the reference page, or says what
 * is out of date.
 */
const args = process.argv.slice(2).filter((arg) => arg !== '--check');
if (args.length > 1 || args[0]?.startsWith('-')) {
  console.error(`"${args.join(' ')}" is not understood: node crds/generate.ts [--check] [folder]`);
  process.exit(2);
}
const folder = args[0] ?? fileURLToPath(new URL('.', import.meta.url));

const wanted = new Map<string, string>(
  definitions.map((definition) => [
    `${definition.type.plural}.yaml`,
    `# Made by \`npm run generate\` from the schemas in src/kinds. Do not edit.\n${toYaml(customResourceDefinition(definition))}`,
  ]),
);
wanted.set('Kustomization', kustomization([...wanted.keys()]));
wanted.set('reference.md', referencePage(definitions));
const orphans = (await readdir(folder)).filter(
  (name) => name.endsWith('.yaml') && !wanted.has(name),
);

if (process.argv.includes('--check')) await check();
else await write();

/** Without an extension, so that `kubectl apply -f crds` does not take it for an object. */
function kustomization(names: readonly string[]): string {
  const resources = names.toSorted().map((name) => `  - ${name}\n`);
  return `apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources:\n${resources.join('')}`;
}

async function check(): Promise<void> {
  const problems = orphans.map((name) => `crds/${name} belongs to no kind`);
  for (const [name, text] of wanted) {
    const onDisk = await readFile(`${folder}/${name}`, 'utf8').catch(() => undefined);
    if (onDisk === undefined) problems.push(`crds/${name} does not exist`);
    else if (onDisk !== text) problems.push(`crds/${name} ${firstDifference(onDisk, text)}`);
  }
  if (problems.length === 0) return;
  console.error(`${problems.join('\n')}\nRun \`npm run generate\` and commit what it writes.`);
  process.exitCode = 1;
}

async function write(): Promise<void> {
  for (const [name, text] of wanted) await writeFile(`${folder}/${name}`, text);
  for (const name of orphans) await rm(`${folder}/${name}`);
}

function firstDifference(onDisk: string, text: string): string {
  const [is, should] = [onDisk.split('\n'), text.split('\n')];
  const at = should.findIndex((line, index) => line !== is[index]);
  const line = at === -1 ? should.length : at;
  return `differs from the schemas, first in line ${line + 1}: ${JSON.stringify(is[line] ?? '')} should be ${JSON.stringify(should[line] ?? '')}`;
}
