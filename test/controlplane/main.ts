import { startControlPlane } from './controlplane.ts';
import { findControlPlane, findProgram, NEEDED } from './programs.ts';
import { progressLines } from './progress.ts';

const USAGE = `Usage: node test/controlplane/main.ts [--prepare [${Object.keys(NEEDED).join('|')}]...]
  (none)     start etcd and kube-apiserver, print the KUBECONFIG, stay until Ctrl-C
  --prepare  only make sure that their programs, and those of these tests, are there`;

async function main([mode, ...projects]: readonly string[]): Promise<void> {
  const say = progressLines();
  if (mode === '--prepare') {
    await findControlPlane(say);
    for (const name of new Set(projects.flatMap((project) => NEEDED[project] ?? [])))
      await findProgram(name, say);
    return;
  }
  if (mode !== undefined) return console.log(USAGE);
  const controlPlane = await startControlPlane({ say });
  console.log(`export KUBECONFIG=${controlPlane.adminKubeconfig}`);
  say(
    `${controlPlane.server} is up, kubectl is ${controlPlane.kubectlProgram}; Ctrl-C ends it all`,
  );
  // The control plane's own handlers end the process; until then something has to keep it running.
  setInterval(() => {}, 2 ** 30);
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
