import { breakWatches, drop, edit, make } from '../life/acts.ts';
import type { Life } from '../life/life.ts';
import type { Mishap, Point } from '../life/world.ts';
import type { Workload } from './workload.ts';

/** What befalls one call or one write of a workload. */
export const FATES = [
  'crash before',
  'crash after',
  'answer lost',
  'executed late',
  'edited',
  'deleted',
  'watch broken',
] as const;
export type FateName = (typeof FATES)[number];

const LATE_MS = 58_000;
/** So long the operator may wait for the API server. */
const KUBE_TIMEOUT_MS = 10_000;

export function mishapOf(fate: FateName, { isCall, process }: Point, workload: Workload): Mishap {
  const crash: NonNullable<Mishap['acts']>['run'] = (life) =>
    life.processes.byName(process)?.crash();
  const { subject, world } = workload;
  switch (fate) {
    case 'crash before':
      return {
        text: 'the process dies when it leaves',
        fate: { lost: 'request' },
        acts: { when: 'leaves', run: crash },
      };
    case 'crash after':
      return {
        text: 'the process dies when the work is done',
        acts: { when: 'done', run: crash },
      };
    case 'answer lost':
      return {
        text: 'the work is done, and the answer is lost',
        fate: isCall ? { lost: 'reply' } : { reset: 'after' },
      };
    case 'executed late': {
      const timeoutMs = isCall ? world.flags.timeoutSeconds * 1_000 : KUBE_TIMEOUT_MS;
      return {
        text: `nobody answers, and it is carried out ${LATE_MS / 1_000} s after it was given up`,
        fate: { lost: 'request', strayMs: timeoutMs + LATE_MS },
      };
    }
    case 'edited':
      return {
        text: 'meanwhile a user edits the object',
        acts: { when: 'asks', run: (life) => void edit(life, subject, workload.edit) },
      };
    case 'deleted':
      return {
        text: 'meanwhile a user deletes the object',
        acts: { when: 'leaves', run: (life) => void removal(workload)(life) },
      };
    case 'watch broken':
      return {
        text: 'meanwhile every watch breaks',
        acts: { when: 'leaves', run: (life) => void breakWatches(life) },
      };
  }
}

/** A user deletes the object, and makes it again where the workload says so. */
export function removal({
  subject,
  world,
  isRemade,
}: Workload): (life: Life) => string | undefined {
  return (life) => {
    const done = drop(life, subject);
    const spec = world.objects.find(({ name }) => name === subject.name)?.spec;
    if (done !== undefined && isRemade && spec) make(life, subject, spec);
    return done;
  };
}
