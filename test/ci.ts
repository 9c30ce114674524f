import { type Part, runParts } from './parts.ts';
import { hunt, prepare, projects, TESTS } from './run.ts';

/** What must pass before anything lands; what has to be built is built behind what needs none. */
const ALWAYS: readonly Part[] = [
  { name: 'check', run: ['test/check.ts'] },
  ...TESTS,
  { ...prepare('programs', 'packaging', 'argocd'), after: ['control plane'] },
  { name: 'packaging', run: projects('packaging'), after: ['cluster', 'programs'] },
  { name: 'argocd', run: ['test/argocd/main.ts'], after: ['cluster', 'programs'] },
  { name: 'demo', run: ['test/demo/main.ts', '--once'], after: ['argocd'] },
  {
    name: 'more seeds',
    run: hunt('--from', '151', '--lives', '1350'),
    after: ['seeds'],
    isBehind: true,
  },
];

/** Whether the tests see what they are there for: faults in copies of the product. */
const NIGHTLY: readonly Part[] = [
  { name: 'mutate', run: ['test/mutation/main.ts'] },
  { name: 'planted', run: projects('planted'), isBehind: true },
];

process.exitCode = (await runParts(process.argv[2] === 'nightly' ? NIGHTLY : ALWAYS)) ? 0 : 1;
