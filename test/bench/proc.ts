import { readdir, readFile } from 'node:fs/promises';

/** Resident memory of a process, in MB. */
export interface Resident {
  readonly atRest: number;
  readonly peak: number;
}

export async function residentOf(pid: number): Promise<Resident> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const megabytes = (field: string): number =>
    Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / 1024;
  return { atRest: megabytes('VmRSS'), peak: megabytes('VmHWM') };
}

/** In which Linux counts processor time for programs, on every architecture that Node runs on. */
const TICKS_PER_SECOND = 100;

/** Processor time that a process has taken since its start, in all its threads. */
export async function cpuSecondsOf(pid: number): Promise<number> {
  const { fields } = await statOf(pid);
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** The processes that this one has started, by their name; throws where one is missing. */
export async function childrenNamed(names: readonly string[]): Promise<number[]> {
  const pids = (await readdir('/proc')).map(Number).filter(Number.isInteger);
  const found = new Map<string, number>();
  for (const pid of pids) {
    // It may have ended since it was listed.
    const { name, fields } = await statOf(pid).catch(() => ({ name: '', fields: [] }));
    if (Number(fields[1]) === process.pid) found.set(name, pid);
  }
  return names.map((name) => {
    const pid = found.get(name);
    if (pid === undefined) throw new Error(`no ${name} runs below process ${process.pid}`);
    return pid;
  });
}

/** What `/proc/PID/stat` says; the fields begin with the third, as the name may hold spaces. */
async function statOf(pid: number): Promise<{ name: string; fields: readonly string[] }> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8');
  const end = text.lastIndexOf(')');
  return { name: text.slice(text.indexOf('(') + 1, end), fields: text.slice(end + 2).split(' ') };
}
