// Runs on any Node from 18, before anything is installed: so plain JavaScript, and nothing but Node's own modules.
//
//   node test/setup.mjs                    installs what package-lock.json says, if it is not installed already
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
  const wanted = readPackages(join(root, 'package-lock.json'));
  const present = readPackages(record);
  return Object.entries(wanted).every(
    ([path, entry]) => path === '' || entry.optional || isSame(entry, present[path]),
  );
}

function isSame(wanted, present) {
  return wanted.version === present?.version && wanted.integrity === present?.integrity;
}

function readPackages(file) {
  return JSON.parse(readFileSync(file, 'utf8')).packages;
}

async function install() {
  const since = Date.now();
  console.error('Installing the packages of package-lock.json (npm ci) ...');
  // Under `npm run` this is the npm that runs us; NODE_ENV=production or omit=dev must not leave out what is needed here.
  // Warnings would be about the Node that runs npm, which is not the one that runs the project.
  const [program, ...first] = process.env.npm_execpath
    ? [process.execPath, process.env.npm_execpath]
    : ['npm'];
  const args = [...first, 'ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'];
  const { code, signal } = await run(program, args, { cwd: root, stdio: ['ignore', 2, 2] });
  if (signal) process.kill(process.pid, signal);
  if (code !== 0)
    throw new Error(`"npm ci" in ${root} ended with code ${code}; its output above says why.`);
  if (!existsSync(ownNode)) {
    throw new Error(
      `${ownNode} is missing after "npm ci": the install script of the package "node" did not run. Allow it (npm config get ignore-scripts must be false) and try again.`,
    );
  }
  console.error(`Installed in ${Math.round((Date.now() - since) / 1000)} s`);
}

/** Waits for a program, handing on the signals that end us. */
function run(program, args, { stdio, cwd }) {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, PATH: `${programs}${delimiter}${process.env.PATH ?? ''}` };
    const child = spawn(program, args, { cwd, env, stdio });
    const handlers = ['SIGINT', 'SIGTERM', 'SIGHUP'].map((signal) => {
      const handler = () => {
        // Ctrl-C in a terminal reaches the child by itself; a second one would cut its clean-up short.
        if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
      };
      process.on(signal, handler);
      return [signal, handler];
    });
    const orphaned = onOrphaned(() => child.kill('SIGTERM'));
    const done = (settle) => (value, extra) => {
      clearInterval(orphaned);
      for (const [signal, handler] of handlers) process.off(signal, handler);
      settle(value, extra);
    };
    child.once(
      'error',
      done((error) => reject(new Error(`Cannot run "${program}": ${error.message}`))),
    );
    child.once(
      'close',
      done((code, signal) => resolve({ code, signal })),
    );
  });
}

/** npm hands SIGTERM to the shell that it put between itself and us, and that shell dies of it without a word to us. */
function onOrphaned(act) {
  if (!process.env.npm_lifecycle_event) return undefined;
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    act();
  }, 500);
  return watch;
}

async function main() {
  if (!isInstalled()) await install();
  const args = process.argv.slice(2);
  if (args.length === 0) return;
  const { code, signal } = await run(ownNode, args, { cwd: process.cwd(), stdio: 'inherit' });
  if (signal) process.kill(process.pid, signal);
  process.exitCode = code ?? 1;
}

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
