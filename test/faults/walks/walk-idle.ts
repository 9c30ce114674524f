import type { InnerOperator } from '../../support/inner-operator.ts';
import { metric } from '../../support/watching.ts';

/** Whether no pass runs and none waits for a worker: then no call is under way. */
export function isIdle(operator: InnerOperator): boolean {
  const page = operator.metrics();
  return metric(page, 'workqueue_depth') === 0 && metric(page, 'workqueue_unfinished_work_seconds') === 0;
}
