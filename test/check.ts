import { type Part, runParts } from './parts.ts';
import { sizes } from './sizes.ts';

const MODULES = 'node_modules';
const NAMED = 'mend what is named';
const GENERATED = 'run `npm run generate` and commit the result';
const LINTED = ['src', 'test', 'crds', 'deploy'];

/** What the project is held to besides its tests, and what to do where it is not. */
const CHECKS: readonly (readonly [name: string, run: readonly string[], mend: string])[] = [
  [
    'formatting',
    [`${MODULES}/@biomejs/biome/bin/biome`, 'check', '.'],
    `run \`${MODULES}/.bin/biome check --write .\``,
  ],
  ['lint', [`${MODULES}/oxlint/bin/oxlint`, '--type-aware', '--deny-warnings', ...LINTED], NAMED],
  ['types', [`${MODULES}/typescript/bin/tsc`, '-p', '.'], NAMED],
  ['unused code', [`${MODULES}/knip/bin/knip.js`], 'remove what nothing uses'],
  ['CRDs', ['crds/generate.ts', '--check'], GENERATED],
  ['generated files of deploy', ['deploy/generate.ts', '--check'], GENERATED],
];

const parts = CHECKS.map(([name, run, mend]): Part => ({ name, run, mend, output: 'quiet' }));
const AUDIT: Part = {
  name: 'known vulnerabilities',
  run: ['test/audit.ts'],
  mend: 'take a version without it; `npm audit` says which',
};
console.log(`Lines of each room, and what they may be:\n  ${sizes().join('\n  ')}`);
process.exitCode = (await runParts([...parts, AUDIT])) ? 0 : 1;
