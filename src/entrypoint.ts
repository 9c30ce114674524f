/**
 * What the image starts: the operator, or with the first argument `plugin` what `kubectl
 * pipewright` is. Node cannot lay restrictions on itself once it runs, so the operator's are those
 * of a Node that takes the place of this one, as the same process.
 *
 * This first one has none, and so neither has the code that NODE_OPTIONS of the container names,
 * until this one is replaced. Restrictions here would not hold it: they would have to allow execve,
 * by which code becomes a Node without any. Whoever sets the variables of a container can set its
 * command as well, and the ConfigMap with the flags sets none but those.
 */
const NODE = '/usr/local/bin/node';

// Node itself refuses to start a program, a thread or an addon, to write a file, and to read one
// that is not here: the bundle and what V8 made of it, the ServiceAccount, what is mounted below
// /etc/pipewright, and how many files are open. The cache is granted for writing because Node does
// not read it otherwise; its files belong to root. SQLite can open files past all this, so there is
// none.
const OPERATOR = [
  '--permission',
  '--no-experimental-sqlite',
  '--allow-fs-read=/app/*',
  '--allow-fs-write=/app/cache/*',
  '--allow-fs-read=/var/run/secrets/kubernetes.io/serviceaccount/*',
  '--allow-fs-read=/etc/pipewright/*',
  '--allow-fs-read=/proc/self/fd',
  '/app/pipewright.js',
];
/** It starts kubectl, so it has no restrictions but those of its container. */
const PLUGIN = '/app/kubectl-pipewright.js';

const [first, ...rest] = process.argv.slice(2);
if (first === 'plugin') {
  process.argv.splice(1, process.argv.length, PLUGIN, ...rest);
  await import(PLUGIN);
} else {
  if (!process.execve)
    throw new Error(`Node ${process.versions.node} cannot replace a process by another one`);
  process.execve(NODE, [NODE, ...OPERATOR, ...process.argv.slice(2)], process.env);
}
