/**
 * Runs in the process of the operator, and at SIGUSR2 tries what the image forbids: one line of JSON
 * to stderr, with how each attempt ended.
 */
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { open } from 'node:inspector';
import { Worker } from 'node:worker_threads';

const TOKEN = '/var/run/secrets/kubernetes.io/serviceaccount/token';

const started = (one) =>
  new Promise((resolve, reject) => one.once('error', reject).once('exit', resolve));

const attempts = {
  program: () => started(spawn('/usr/local/bin/node', ['--version'], { stdio: 'pipe' })),
  thread: () => started(new Worker('', { eval: true })),
  addon: () => process.dlopen({ exports: {} }, '/app/there-is-none.node'),
  readElsewhere: () => readFileSync('/etc/passwd'),
  readEnvironment: () => readFileSync('/proc/self/environ'),
  leaveTheFolder: () => readFileSync('/app/../etc/passwd'),
  writeElsewhere: () => writeFileSync('/tmp/written', 'x'),
  writeIntoTheBundle: () => writeFileSync('/app/pipewright.js', 'x'),
  writeIntoTheCache: () => writeFileSync('/app/cache/written', 'x'),
  database: async () => {
    const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
    new DatabaseSync('/tmp/database').exec('create table a (b)');
  },
  inspector: () => open(0, '127.0.0.1'),
  readToken: () => readFileSync(TOKEN),
  countFiles: () => readdirSync('/proc/self/fd'),
};

// Where nothing forbids it, it succeeds, and nobody is left to tell.
if (process.permission)
  attempts.becomeAnother = () => process.execve('/usr/local/bin/node', ['node', '--version']);

process.on('SIGUSR2', async () => {
  const ends = {};
  for (const [name, attempt] of Object.entries(attempts)) {
    try {
      await attempt();
      ends[name] = 'done';
    } catch (error) {
      ends[name] = error.code ?? error.name;
    }
  }
  process.stderr.write(`${JSON.stringify({ probe: ends })}\n`);
});
