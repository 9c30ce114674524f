import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { findProgram } from '../controlplane/programs.ts';
import { succeed } from './run.ts';

/** A registry on loopback, and crane to use it with. */
export interface Registry {
  /** Host and port. */
  readonly address: string;
  /** Runs crane; throws where it fails. */
  crane(...args: readonly string[]): Promise<string>;
  stop(): Promise<void>;
}

export async function startRegistry(): Promise<Registry> {
  const crane = await findProgram('crane');
  const folder = await mkdtemp(join(tmpdir(), 'pipewright-registry-'));
  const child = spawn(await findProgram('registry'), [folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const first = createInterface({ input: child.stdout })[Symbol.asyncIterator]().next();
  const address = await Promise.race([first.then(({ value }) => value), ended]);
  if (address === undefined) throw new Error('the registry ended before it said its address');
  return {
    address,
    crane: (...args) => succeed(crane, args, { env: { DOCKER_CONFIG: folder } }),
    async stop() {
      child.kill();
      await ended;
      await rm(folder, { recursive: true });
    },
  };
}
