import { sizes } from './sizes.ts';
import { runQuietly, type Step } from './steps.ts';

/** What `npm run check` holds the project to, besides its tests. */
const steps: readonly Step[] = [
  {
    name: 'formatting',
    run: ['node_modules/@biomejs/biome/bin/biome', 'check', '.'],
    mend: 'run `node_modules/.bin/biome check --write .`',
  },
  {
    name: 'lint',
    run: [
      'node_modules/oxlint/bin/oxlint',
      '--type-aware',
      '--deny-warnings',
      'src',
      'test',
      'crds',
      'deploy',
    ],
    mend: 'mend what is named',
  },
  {
    name: 'types',
    run: ['node_modules/typescript/bin/tsc', '-p', '.'],
    mend: 'mend what is named',
  },
  {
    name: 'known vulnerabilities',
    run: ['test/audit.ts'],
    mend: 'take a version without it; `npm audit` says which',
    isHeard: true,
  },
  { name: 'unused code', run: ['node_modules/knip/bin/knip.js'], mend: 'remove what nothing uses' },
  {
    name: 'generated files',
    run: ['crds/generate.ts', '--check'],
    mend: 'run `npm run generate` and commit the result',
  },
  {
    name: 'generated files of deploy',
    run: ['deploy/generate.ts', '--check'],
    mend: 'run `npm run generate` and commit the result',
  },
];

console.log('Checking:');
const results: boolean[] = [];
for (const step of steps) results.push(await runQuietly(step));
console.log(`Lines, and what they may be when the rebuilding is done:\n  ${sizes().join('\n  ')}`);
process.exitCode = results.every(Boolean) ? 0 : 1;
