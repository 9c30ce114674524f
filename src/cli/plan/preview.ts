import { encodePath } from '../../api/path.ts';
import * as activity from '../../kinds/activity/resource.ts';
import * as organization from '../../kinds/organization/preview.ts';
import { organizationType } from '../../kinds/organization/resource.ts';
import { previewOf } from '../../kinds/pipe-settings/preview.ts';
import * as pipe from '../../kinds/pipe-settings/resource.ts';
import type { SpecResult } from '../../kinds/schema/parser.ts';
import {
  type CommonStatus,
  generationOf,
  isReady,
  readyOf,
} from '../../kinds/shared/common-status.ts';
import { NOTHING_SENT, type Preview } from '../../kinds/shared/preview.ts';
import type { KubeObject } from '../../kube/resource.ts';

const PREVIEWS: Readonly<Record<string, (object: KubeObject, now: number) => Preview>> = {
  [pipe.pipeSettingsType.kind]: ofPipe,
  [organizationType.kind]: organization.preview,
  [activity.activityType.kind]: ofActivity,
};

/**
 * What the operator does about one object, by the functions that fill `status.plan`. Other objects,
 * pauses and waits are not considered. The spec is valid.
 */
export function preview(object: KubeObject, now: number): Preview {
  if (object.metadata.deletionTimestamp)
    return { ...NOTHING_SENT, says: 'It is being deleted, so that its new spec has no effect' };
  const ofKind = PREVIEWS[object.kind ?? ''];
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

function ofPipe(object: KubeObject): Preview {
  const { status = {} } = object as pipe.PipeSettings;
  // The API that the status speaks of is taken to be the one that is called.
  return previewOf(status, specOf(pipe.parseSpec(object)), status.verified?.apiHash);
}

function ofActivity(object: KubeObject): Preview {
  const path = encodePath(activity.pathOf(specOf(activity.parseSpec(object))));
  if ((object as activity.Activity).status?.activity)
    return { ...NOTHING_SENT, says: 'The record is fetched already' };
  const requests = [{ method: 'GET', path }];
  return { ...NOTHING_SENT, does: 'send', says: 'One GET fetches the record', requests };
}

function specOf<Spec>(parsed: SpecResult<Spec>): Spec {
  if (parsed.ok) return parsed.spec;
  throw new Error(`a spec that is not valid is previewed: ${parsed.message}`);
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
