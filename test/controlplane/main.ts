import { parseArgs } from 'node:util';
import { findBinaries } from './binaries.ts';
import { startControlPlane } from './controlplane.ts';
import { progressLines } from './progress.ts';

const usage = `Usage: node test/controlplane/main.ts [--prepare] [--index <URL>]
  (none)         start etcd and kube-apiserver, print the KUBECONFIG, stay until Ctrl-C
  --prepare      only make sure that the programs are there
  --index <URL>  the list of official releases to download from`;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      prepare: { type: 'boolean' },
      index: { type: 'string' },
      help: { type: 'boolean' },
    },
  });
  if (values.help) return console.log(usage);
  const say = progressLines();
  const indexUrl = values.index;
  const binaries = await findBinaries({ say, ...(indexUrl === undefined ? {} : { indexUrl }) });
  if (values.prepare)
    return say(`etcd, kube-apiserver and kubectl are in ${binaries.folder} (${binaries.origin})`);
  const controlPlane = await startControlPlane({ say, binaries });
  console.log(`export KUBECONFIG=${controlPlane.adminKubeconfig}`);
  say(
    `${controlPlane.server} is up; kubectl is ${controlPlane.kubectlProgram}; Ctrl-C stops it and removes all of it`,
  );
  // The control plane's own handlers end the process; until then something has to keep it running.
  setInterval(() => {}, 2 ** 30);
}

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
