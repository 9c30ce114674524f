import { onTestFinished } from 'vitest';
import { caller, type Send } from '../simulator/caller.ts';
import { type Simulator, type SimulatorOptions, startSimulator } from '../simulator/simulator.ts';

/** A simulator that ends with the test, and a caller with the credential `key:secret`. */
export async function openSimulator(
  options: SimulatorOptions = {},
): Promise<{ readonly simulator: Simulator; readonly send: Send }> {
  const simulator = await startSimulator(options);
  onTestFinished(() => simulator.stop());
  return { simulator, send: caller(simulator.url) };
}
