import { startControlPlane } from '../../controlplane/controlplane.ts';
import { createAdmin, installOperator } from '../../controlplane/install.ts';
import { startSimulator } from '../../simulator/simulator.ts';

export type Stage = Awaited<ReturnType<typeof openStage>>;

/** Both servers, with the operator's CRDs and rights. */
export async function openStage(options: {
  readonly latencyMs: number;
  readonly say: (line: string) => void;
}) {
  const controlPlane = await startControlPlane({ say: options.say, stopOnSignal: false });
  const { latencyMs } = options;
  const simulator = await startSimulator({ anyPipe: true, latencyMs, keepLog: false });
  const admin = createAdmin(controlPlane, 50);
  await installOperator(controlPlane);
  return {
    controlPlane,
    simulator,
    ask: admin.ask,
    async close() {
      await Promise.all([admin.close(), simulator.stop()]);
      await controlPlane.stop();
    },
  };
}
