import { definitions } from '../../kinds/definitions.ts';
import { soundStatus } from '../../kinds/schema/sound.ts';
import type { CommonStatus } from '../../kinds/status/common-status.ts';
import type { Found } from '../cluster/objects.ts';

const readers = new Map(
  definitions.map((definition) => [definition, soundStatus(definition.status)]),
);

/** The status as the operator would read it: a CRD of another version may have let in anything. */
export function statusOf({ definition, object }: Found): CommonStatus | undefined {
  return readers.get(definition)?.(object.status);
}
