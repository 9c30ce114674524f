import { chmod, copyFile, mkdir, writeFile } from 'node:fs/promises';
import { rolldown } from 'rolldown';
import packageJson from '../package.json' with { type: 'json' };
import { notices } from './notices.ts';

/**
 * `npm run build`: makes the operator and the plugin of kubectl in dist, each in one file with
 * nothing to install beside it, the licences of what is in them, and the package that the plugin is
 * handed out as (`npm pack ./dist`).
 */
const FOLDER = 'dist';
const OPERATOR = { file: `${FOLDER}/pipewright.js`, input: 'src/main.ts', banner: '' };
const PLUGIN = {
  file: `${FOLDER}/kubectl-pipewright.js`,
  input: 'src/cli/main.ts',
  banner: '#!/usr/bin/env node',
};
/** The operator has the Node of the image, the plugin whichever its user has. */
const OLDEST_NODE = `node${packageJson.engines.node.replace('>=', '')}`;

await mkdir(FOLDER, { recursive: true });
const modules: string[] = [];
for (const { file, input, banner } of [OPERATOR, PLUGIN]) {
  const built = await rolldown({
    input,
    platform: 'node',
    // Its main module imports a class for every kind of Kubernetes, and none of them does anything
    // by being imported.
    treeshake: { moduleSideEffects: (id) => !id.includes('/@kubernetes/client-node/') },
    transform: { target: OLDEST_NODE },
  });
  const { output } = await built.write({ file, banner, minify: true, codeSplitting: false });
  await built.close();
  const [{ code, modules: bundled }] = output;
  for (const [id, { renderedLength }] of Object.entries(bundled))
    if (renderedLength > 0) modules.push(id);
  console.log(`${file}: ${Math.round(Buffer.byteLength(code) / 1024)} KiB`);
}
await chmod(PLUGIN.file, 0o755);
await writeFile(`${FOLDER}/THIRD-PARTY-NOTICES`, await notices(modules));
await copyFile('LICENSE', `${FOLDER}/LICENSE`);
const { version, license, type, engines } = packageJson;
// Unlike the project it depends on nothing: whoever installs it fetches one file.
const plugin = {
  name: 'kubectl-pipewright',
  version,
  description: 'kubectl plugin of the Pipewright operator',
  license,
  type,
  engines,
  bin: 'kubectl-pipewright.js',
  files: ['kubectl-pipewright.js', 'THIRD-PARTY-NOTICES'],
};
await writeFile(`${FOLDER}/package.json`, JSON.stringify(plugin, undefined, 2));
