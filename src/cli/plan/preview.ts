import { previews } from '../../kinds/definitions.ts';
import {
  type CommonStatus,
  generationOf,
  isReady,
  readyOf,
} from '../../kinds/shared/common-status.ts';
import { NOTHING_SENT, type Preview } from '../../kinds/shared/preview.ts';
import type { KubeObject } from '../../kube/resource.ts';

/**
 * What the operator does about one object, by the functions that fill `status.plan`. Other objects,
 * pauses and waits are not considered. The spec is valid.
 */
export function preview(object: KubeObject, now: number): Preview {
  if (object.metadata.deletionTimestamp)
    return { ...NOTHING_SENT, says: 'It is being deleted, so its new spec has no effect' };
  const ofKind = previews.get(object.kind ?? '');
  if (!ofKind) throw new Error(`nothing is known of the kind ${object.kind}`);
  const whole = ofKind(object, now);
  if (whole.does === 'nothing') return whole;
  const why = whyWithheld(object);
  if (why) {
    const says = `Nothing is sent, because ${why}; else: ${whole.says}`;
    return { ...whole, does: 'withheld', says };
  }
  const { applied } = (object.status ?? {}) as { readonly applied?: { generation: number } };
  // Each change of a spec makes a new generation, so that this one's request was the same.
  return applied?.generation === generationOf(object) && isReady(object)
    ? { ...NOTHING_SENT, says: 'The declared state is the one last confirmed, so nothing is sent' }
    : whole;
}

function whyWithheld({ spec, status }: KubeObject): string | undefined {
  const { suspend, mode } = spec as { readonly suspend?: boolean; readonly mode?: string };
  if (suspend) return 'spec.suspend is true';
  if (mode === 'Plan') return 'spec.mode is Plan';
  // Until the other is gone, whatever an edit changes: what names a target is immutable.
  return readyOf(status as CommonStatus | undefined)?.reason === 'TargetConflict'
    ? 'another object owns its target'
    : undefined;
}
