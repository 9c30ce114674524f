// Runs on any Node from 18, before anything is installed: plain JavaScript, Node's own modules.
//
//   node test/setup.mjs                    installs what package-lock.json says, if it is not there
//   node test/setup.mjs FILE ARGUMENTS     does that, then runs FILE with the project's own Node

import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const programs = join(root, 'node_modules', '.bin');
const ownNode = join(programs, 'node');

/** npm writes its own record last, so that an interrupted installation has none. */
function isInstalled() {
  const record = join(root, 'node_modules', '.package-lock.json');
  if (!existsSync(record) || !existsSync(ownNode)) return false;
  const packagesOf = (file) => Object.entries(JSON.parse(readFileSync(file, 'utf8')).packages);
  const present = Object.fromEntries(packagesOf(record));
  return packagesOf(join(root, 'package-lock.json')).every(
    ([path, { optional, version, integrity }]) =>
      path === '' ||
      optional ||
      (present[path]?.version === version && present[path]?.integrity === integrity),
  );
}

async function install() {
  console.error('Installing the packages of package-lock.json (npm ci) ...');
  // Under `npm run` this is the npm that runs us; NODE_ENV=production must not leave
  // out what is needed here. Warnings would be about the Node that runs npm.
  const { npm_execpath: npm } = process.env;
  const args = ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'];
  const [program, ...all] = npm ? [process.execPath, npm, ...args] : ['npm', ...args];
  await run(program, all, { cwd: root, stdio: ['ignore', 2, 2] });
  if (!process.exitCode && !existsSync(ownNode))
    throw new Error(
      `${ownNode} is missing after "npm ci": the install script of the package "node" did not run. Allow it (npm config get ignore-scripts must be false) and try again.`,
    );
}

/** Ends as the program ends, and hands on the signals that end us. */
async function run(program, args, options) {
  const env = { ...process.env, PATH: `${programs}${delimiter}${process.env.PATH ?? ''}` };
  const child = spawn(program, args, { ...options, env });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.on(signal, () => {
      // Ctrl-C in a terminal reaches the child by itself; a second one would cut it short.
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
    });
  // npm hands SIGTERM to its shell, which dies of it without a word to us.
  const parent = process.ppid;
  const orphaned = setInterval(() => {
    if (process.env.npm_lifecycle_event && process.ppid !== parent) child.kill('SIGTERM');
  }, 500);
  try {
    process.exitCode = await new Promise((resolve, reject) => {
      const fail = ({ message }) => reject(new Error(`Cannot run "${program}": ${message}`));
      child.once('error', fail);
      child.once('close', (code) => resolve(code ?? 1));
    });
  } finally {
    clearInterval(orphaned);
  }
}

try {
  if (!isInstalled()) await install();
  const args = process.argv.slice(2);
  if (!process.exitCode && args.length > 0) await run(ownNode, args, { stdio: 'inherit' });
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
