import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { findProgram } from '../controlplane/programs.ts';
import { succeed } from './run.ts';

/** A registry on loopback, which is a part of crane, and crane to use it with. */
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
  const serve = ['registry', 'serve', '--address', '127.0.0.1:0', '--disk', folder];
  const child = spawn(crane, serve, { stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const said: string[] = [];
  const port = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stderr }).on('line', (line) => {
      const [, found] = /serving on port (\d+)$/.exec(line) ?? [];
      if (found !== undefined) resolve(found);
      else said.push(line);
    });
    void ended.then(() =>
      reject(new Error(`the registry ended before it said its port: ${said.join('\n')}`)),
    );
  });
  return {
    address: `127.0.0.1:${port}`,
    crane: (...args) => succeed(crane, args, { env: { DOCKER_CONFIG: folder } }),
    async stop() {
      child.kill();
      await ended;
      await rm(folder, { recursive: true });
    },
  };
}
