import { type CommonStatus, REQUESTED_AT, requestedAt } from '../../kinds/status/common-status.ts';
import type { KubeObject } from '../../kube/resource.ts';
import { appliedOtherwise, whoMayRevert } from './managed-by.ts';

export type Verb = 'retry' | 'suspend' | 'resume';

/** What a command does to each object. */
export interface Action {
  readonly verb: Verb;
  /** For a merge patch. */
  readonly patch: object;
  /** What was done, as the end of "pset/orders: …". */
  readonly done: string;
  /** Why nothing has to be written; undefined where something has. */
  readonly unneeded: (object: KubeObject) => string | undefined;
  /** What the user should know of an object where it is written. */
  readonly remark: (object: KubeObject) => string | undefined;
  /** Whether the operator has taken up what was written. */
  readonly isTakenUp: (object: KubeObject) => boolean;
}

interface ShownSpec {
  readonly suspend?: unknown;
  readonly mode?: unknown;
}

const specOf = ({ spec }: KubeObject): ShownSpec => spec ?? {};

/** `value` is unlike that of any other run. */
export function actionOf(verb: Verb, value: string): Action {
  switch (verb) {
    case 'retry':
      return {
        verb,
        patch: { metadata: { annotations: { [REQUESTED_AT]: value } } },
        done: 'asked to try again',
        unneeded: () => undefined,
        remark: whyNotTried,
        isTakenUp: (object) => isHandled(object, value),
      };
    case 'suspend':
      return {
        verb,
        patch: { spec: { suspend: true } },
        done: 'suspended',
        unneeded: (object) =>
          specOf(object).suspend === true ? 'is suspended already' : undefined,
        remark: (object) => whoMayRevert(object) ?? appliedOtherwise(object, true),
        isTakenUp: () => true,
      };
    case 'resume':
      return {
        verb,
        // Not false: a manifest that says nothing of it is then again what the cluster has.
        patch: { spec: { suspend: null } },
        done: 'resumed',
        unneeded: (object) => (specOf(object).suspend === true ? undefined : 'is not suspended'),
        remark: (object) => whoMayRevert(object) ?? appliedOtherwise(object, false),
        isTakenUp: () => true,
      };
  }
}

function whyNotTried(object: KubeObject): string | undefined {
  const { suspend, mode } = specOf(object);
  if (suspend === true)
    return 'is suspended, so the operator makes no call for it until it is resumed';
  if (mode === 'Plan') return 'is in mode Plan, so the operator sends nothing for it';
  return undefined;
}

/**
 * `status.lastHandledReconcileAt` has this value, or a newer one: somebody else has asked since,
 * and only the last value is kept.
 */
function isHandled(object: KubeObject, value: string): boolean {
  const { lastHandledReconcileAt } = (object.status ?? {}) as CommonStatus;
  return (
    lastHandledReconcileAt === value ||
    (lastHandledReconcileAt !== undefined && lastHandledReconcileAt === requestedAt(object))
  );
}
