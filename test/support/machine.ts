import { availableParallelism, cpus, type as osType, release, totalmem } from 'node:os';

/** What the figures were measured on, in one line; nothing in it names the machine. */
export function describeMachine(): string {
  const model = cpus()[0]?.model.trim() || 'unknown processor';
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`;
  return `${availableParallelism()} x ${model}, ${memory}, ${osType()} ${release()}, Node ${process.versions.node}`;
}
