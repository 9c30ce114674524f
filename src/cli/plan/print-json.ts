import type { Forecast } from '../../kinds/engine/forecast.ts';
import { timestamp } from '../../kinds/status/canonical.ts';
import { fateOf, type Planned, type PlannedObject } from './planned.ts';
import { headline } from './wording.ts';

/** The plan for programs; field names stay as they are. */
export function json(planned: Planned): string {
  const { objects, absent, strays, skipped, isOffline } = planned;
  return JSON.stringify(
    {
      summary: headline(planned),
      offline: isOffline,
      objects: objects.map(objectJson),
      absent: absent.map(({ definition, namespace, name, forecast }) => ({
        kind: definition.type.kind,
        namespace,
        name,
        ...forecastJson(forecast),
      })),
      problems: strays.map(({ place, message }) => ({ ...place, message })),
      skipped,
    },
    null,
    2,
  );
}

function objectJson(object: PlannedObject): object {
  const { definition, namespace, name, place, problems, forecast, isNew, remarks } = object;
  return {
    kind: definition.type.kind,
    namespace,
    name,
    file: place.file,
    line: place.line,
    plan: fateOf(object),
    problems: problems.map(({ place: at, message }) => ({ ...at, message })),
    ...(isNew && { new: true }),
    ...(problems.length === 0 && forecast && forecastJson(forecast)),
    remarks,
  };
}

function forecastJson({ says, requests, withheld, changes, isOpen, known, at, waits }: Forecast) {
  return {
    says,
    requests,
    withheld,
    changes,
    dependsOnFirst: isOpen,
    known,
    nextAt: at === undefined ? undefined : timestamp(at),
    waits,
  };
}
