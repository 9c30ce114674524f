import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Rooms of the project and the lines that they may have, comments and blanks included. */
const ROOMS: readonly (readonly [what: string, most: number, ...patterns: string[]])[] = [
  ['src', 12_000, 'src/*.ts'],
  ['src/config', 450, 'src/config/*.ts'],
  ['src/telemetry', 400, 'src/telemetry/*.ts'],
  ['src/kube', 1_200, 'src/kube/*.ts'],
  ['src/api', 1_000, 'src/api/*.ts'],
  ['src/controller', 700, 'src/controller/*.ts'],
  ['src/kinds', 5_200, 'src/kinds/*.ts'],
  ['src/kinds/shared', 1_400, 'src/kinds/shared/*.ts'],
  ['src/kinds/schema', 700, 'src/kinds/schema/*.ts'],
  ['src/kinds/organization', 1_900, 'src/kinds/organization/*.ts'],
  ['src/cli', 2_500, 'src/cli/*.ts'],
  ['test', 26_700, 'test/*.ts', 'test/*.mjs'],
  ['test/tables', 6_000, 'test/tables/*.ts'],
  ['test/simulation', 6_000, 'test/simulation/*.ts'],
  ['test/cluster', 6_000, 'test/cluster/*.ts'],
  ['test/packaging', 2_200, 'test/packaging/*.ts'],
  ['test/argocd', 400, 'test/argocd/*.ts'],
  ['test/simulator', 1_500, 'test/simulator/*.ts'],
  ['test/support', 1_800, 'test/support/*.ts'],
  ['controlplane, scripts', 1_250, 'test/controlplane/*.ts', ':(glob)test/*.ts', 'test/*.mjs'],
  ['test/demo', 600, 'test/demo/*.ts'],
  ['test/bench', 600, 'test/bench/*.ts'],
  ['test/mutation', 700, 'test/mutation/*.ts'],
  ['deploy without guides', 7_000, 'deploy', ':!deploy/guides'],
  ['deploy/guides', 1_500, 'deploy/guides/*.md'],
];

/** One line for each room: what it has, and what it may have. */
export function sizes(): string[] {
  const { status, stderr } = spawnSync('git', ['ls-files', 'src'], { encoding: 'utf8' });
  if (status !== 0) return [`not counted: git does not list the files: ${stderr.trim()}`];
  return ROOMS.map(([what, most, ...patterns]) => {
    const listed = execFileSync('git', ['ls-files', '-z', '--', ...patterns], { encoding: 'utf8' });
    const files = listed.split('\0').filter((file) => file !== '');
    const lines = files.reduce((sum, file) => sum + linesOf(file), 0);
    return `${what.padEnd(24)}${String(lines).padStart(8)} of ${most}`;
  });
}

function linesOf(file: string): number {
  return readFileSync(file, 'utf8').split('\n').length - 1;
}
