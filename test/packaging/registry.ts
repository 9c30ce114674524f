import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { findProgram } from '../controlplane/programs.ts';

/** A registry on loopback. */
export interface Registry {
  /** Host and port. */
  readonly address: string;
  stop(): Promise<void>;
}

export async function startRegistry(): Promise<Registry> {
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
    async stop() {
      child.kill();
      await ended;
      await rm(folder, { recursive: true });
    },
  };
}
