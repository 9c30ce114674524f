import { spawn } from 'node:child_process';
import { BUILD, runQuietly } from './steps.ts';

/** Everything that must pass: the bundle is built, then all tests run; what is given on the command line goes to vitest. */
console.log('Building what the tests run:');
if (!(await runQuietly(BUILD))) process.exit(1);
const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/vitest.config.ts'];
const child = spawn(process.execPath, [...vitest, ...process.argv.slice(2)], { stdio: 'inherit' });
child.once('error', (error) => {
  console.error(`cannot run vitest: ${error.message}; run \`npm ci\``);
  process.exitCode = 1;
});
child.once('close', (code, signal) => {
  process.exitCode = signal ? 1 : (code ?? 1);
});
