import { readdir, readFile, readlink } from 'node:fs/promises';
import { type RunningOperator, startOperator } from '../../support/operator.ts';
import type { Inside } from './soak-inside.ts';

const INSIDE = new URL('soak-inside.ts', import.meta.url);
const SHOWN_LINES = 20;

/** The bundle as a process that can be looked into. */
export interface Watched {
  /** Resident memory and open sockets, as the kernel has them. */
  outside(): Promise<{ readonly rssMb: number; readonly sockets: number }>;
  /** Has it collect its garbage and count what it holds. */
  inside(): Promise<Inside>;
  /** Throws, with its last words, when it has ended by itself. */
  mustRun(): void;
  stop(): Promise<unknown>;
}

export async function startWatched(
  options: Pick<Parameters<typeof startOperator>[0], 'kubeconfig' | 'apiUrl' | 'flags'>,
): Promise<Watched> {
  const operator = await startOperator({ ...options, logLevel: 'info', preload: [INSIDE.href] });
  const { process: child } = operator;
  const folder = `/proc/${child.pid ?? 0}`;
  return {
    async outside() {
      const status = await readFile(`${folder}/status`, 'utf8');
      const names = await readdir(`${folder}/fd`);
      // One that was closed since the listing is none.
      const files = await Promise.all(
        names.map((name) => readlink(`${folder}/fd/${name}`).catch(() => '')),
      );
      return {
        rssMb: Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) / 1024,
        sockets: files.filter((file) => file.startsWith('socket:')).length,
      };
    },
    inside: () =>
      new Promise((resolve, reject) => {
        const fail = (): void => reject(ended(operator));
        child.once('close', fail).once('message', (message) => {
          child.off('close', fail);
          resolve(message as Inside);
        });
        child.send('count');
      }),
    mustRun() {
      if (child.exitCode !== null || child.signalCode !== null) throw ended(operator);
    },
    stop: operator.stop,
  };
}

function ended(operator: RunningOperator): Error {
  const words = operator.output().split('\n').slice(-SHOWN_LINES).join('\n');
  return new Error(`The operator ended in the middle of the churn. Its last words:\n${words}`);
}
