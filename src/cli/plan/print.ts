import type { Preview } from '../../kinds/shared/preview.ts';
import { changeText } from '../words.ts';
import { withEscapes } from '../yaml.ts';
import {
  basisOf,
  headline,
  inOrder,
  type Planned,
  type PlannedObject,
  problemsIn,
  requestsHeading,
  titleOf,
} from './planned.ts';

/** The plan for people. */
export function text(planned: Planned): readonly string[] {
  const { strays, isOffline } = planned;
  return [
    `${headline(planned)}.`,
    ...(isOffline
      ? ['Planned without the cluster; to compare with the present values, add --dry-run=server']
      : []),
    ...(strays.length > 0 ? ['', ...strays.map(problemLine)] : []),
    ...inOrder(planned).flatMap((object) => ['', ...objectLines(object)]),
  ];
}

function problemLine({ file, line, message }: Planned['strays'][number]): string {
  return `${file}:${line}: ${message}`;
}

function objectLines(object: PlannedObject): readonly string[] {
  const { place, problems, preview, isNew } = object;
  return [
    `${titleOf(object)}${isNew ? ' (new)' : ''}, ${place.file}:${place.line}`,
    ...problems.map((problem) => `  not valid: ${problemLine(problem)}`),
    ...(preview ? previewLines(object, preview).map((line) => `  ${line}`) : []),
  ];
}

function previewLines(object: PlannedObject, preview: Preview): readonly string[] {
  const { says, changes, requests, basis } = preview;
  return [
    `${says}.`,
    ...(changes.length > 0 || basis === 'LastResponse' ? [changesHeading(object, changes)] : []),
    ...changes.map((change) => `  ${changeText(change)}`),
    ...(requests.length > 0 ? [`${requestsHeading(preview)}:`] : []),
    ...requests.flatMap(({ method, path, body }) => [
      `  ${method} ${path}`,
      ...(body === undefined ? [] : [`    ${body}`]),
    ]),
  ];
}

function changesHeading(object: PlannedObject, changes: Preview['changes']): string {
  return changes.length === 0 ? `No changes, ${basisOf(object)}.` : `Changes, ${basisOf(object)}:`;
}

/** The plan for programs; field names stay as they are. */
export function json(planned: Planned): readonly string[] {
  const { objects, strays, skipped, isOffline } = planned;
  const document = {
    summary: headline(planned),
    offline: isOffline,
    objects: objects.map(({ definition, place, isNew, preview, ...object }) => ({
      kind: definition.type.kind,
      ...object,
      ...place,
      new: isNew,
      ...(preview ?? { does: 'invalid' }),
    })),
    problems: strays,
    skipped,
  };
  return withEscapes(JSON.stringify(document, null, 2)).split('\n');
}

/** What is said on stderr where something is not valid; undefined: all is. */
export function complaint(planned: Planned): string | undefined {
  const [first, ...more] = problemsIn(planned);
  if (!first) return undefined;
  const rest = more.length > 0 ? ` (and ${more.length} more, see the plan)` : '';
  return `error: not valid: ${problemLine(first)}${rest}`;
}
