import { type Ran, run } from './run.ts';

/**
 * Runs kubectl as the administrator, or as the user whose kubeconfig is given. Never throws for an
 * exit code.
 */
export type Kubectl = (
  args: readonly string[],
  stdin?: string,
  kubeconfig?: string,
) => Promise<Ran>;

/** `cacheFolder`: for discovery, so that the cache of the person at this machine stays as it is. */
export function createKubectl(options: {
  readonly program: string;
  readonly kubeconfig: string;
  readonly cacheFolder: string;
}): Kubectl {
  const { program, cacheFolder } = options;
  return (args, stdin = '', kubeconfig = options.kubeconfig) => {
    const env = { KUBECONFIG: kubeconfig, KUBECACHEDIR: cacheFolder, KUBERC: 'off' };
    return run(program, args, { stdin, env });
  };
}
