import type { Definition } from '../../kinds/schema/definition.ts';
import type { CommonStatus } from '../../kinds/shared/common-status.ts';
import type { Preview } from '../../kinds/shared/preview.ts';
import type { KubeObject } from '../../kube/resource.ts';
import { responseOf } from '../objects.ts';
import { counted } from '../words.ts';
import type { Place } from './documents.ts';
import type { DryRun } from './dry-run.ts';
import type { Manifest, Manifests, Problem } from './manifests.ts';
import { preview } from './preview.ts';

/** What came out for one object. */
export interface PlannedObject {
  readonly definition: Definition;
  readonly namespace: string;
  readonly name: string;
  readonly place: Place;
  readonly problems: readonly Problem[];
  /** Absent where there are problems. */
  readonly preview?: Preview;
  /** That which shows the present values, in words. */
  readonly response?: string | undefined;
  readonly isNew: boolean;
}

/** The whole plan. */
export interface Planned {
  readonly objects: readonly PlannedObject[];
  readonly strays: readonly Problem[];
  readonly skipped: number;
  readonly isOffline: boolean;
}

export type Fate = 'invalid' | Preview['does'];

export function fateOf({ preview: shown }: PlannedObject): Fate {
  return shown?.does ?? 'invalid';
}

interface Known {
  /** Of manifests that name none. */
  readonly namespace: string;
  /** Of those that are valid. Absent: offline. */
  readonly results: ReadonlyMap<Manifest, DryRun> | undefined;
  /** Epoch ms. */
  readonly now: number;
}

export function plannedOf(manifests: Manifests, { namespace, results, now }: Known): Planned {
  const { ours, strays, skipped } = manifests;
  const objects = ours.map((manifest): PlannedObject => {
    const result = results?.get(manifest);
    const problems = result && 'problem' in result ? [result.problem] : manifest.problems;
    const live = result && 'object' in result ? result.object : undefined;
    const object = live ?? newObject(manifest, namespace, now);
    const { definition, name, placeOf } = manifest;
    const about = { definition, name, namespace: object.metadata.namespace, place: placeOf([]) };
    if (problems.length > 0) return { ...about, problems, isNew: false };
    const shown = preview(object, now);
    const isNew = results !== undefined && !isObserved(object);
    return { ...about, problems, preview: shown, isNew, response: responseOf(object, now) };
  });
  return { objects, strays, skipped, isOffline: results === undefined };
}

/** Of an object that there is not yet a dry run makes the status that it would begin with. */
function isObserved({ status }: KubeObject): boolean {
  const { observedGeneration = -1 }: CommonStatus = status ?? {};
  return observedGeneration >= 0;
}

/** As the API server would store it, if there were none yet. */
function newObject(manifest: Manifest, namespace: string, now: number): KubeObject {
  const { definition, value, name } = manifest;
  return {
    kind: definition.type.kind,
    metadata: {
      name,
      namespace: manifest.namespace ?? namespace,
      uid: '',
      resourceVersion: '',
      generation: 1,
      creationTimestamp: new Date(now).toISOString(),
    },
    spec: value['spec'],
    status: definition.pendingStatus,
  };
}

/** In the order in which they are shown: what needs a look first. */
export const FATES = {
  invalid: ['is not valid', 'are not valid'],
  blocked: ['is blocked', 'are blocked'],
  send: ['sends something', 'send something'],
  withheld: ['would send otherwise', 'would send otherwise'],
  nothing: ['sends nothing', 'send nothing'],
} as const satisfies Readonly<Record<Fate, readonly [string, string]>>;

/** Something would be sent. */
export function sendsSomething({ objects }: Planned): boolean {
  return objects.some((object) => ['send', 'blocked'].includes(fateOf(object)));
}

export function problemsIn({ objects, strays }: Planned): readonly Problem[] {
  return [...strays, ...objects.flatMap(({ problems }) => problems)];
}

export function inOrder({ objects }: Planned): readonly PlannedObject[] {
  const fates = Object.keys(FATES);
  return objects.toSorted((a, b) => fates.indexOf(fateOf(a)) - fates.indexOf(fateOf(b)));
}

/** `3 objects: 2 send something, 1 is not valid; 2 requests planned`. */
export function headline(planned: Planned): string {
  const { objects, strays, skipped } = planned;
  const fates = [...objects.map(fateOf), ...strays.map(() => 'invalid' as const)];
  const parts = Object.entries(FATES).flatMap(([fate, [one, many]]) => {
    const count = fates.filter((each) => each === fate).length;
    return count === 0 ? [] : [`${count} ${count === 1 ? one : many}`];
  });
  const sent = objects.flatMap(({ preview: shown }) =>
    shown && shown.does !== 'withheld' ? shown.requests : [],
  );
  const others = skipped > 0 ? `; ${counted(skipped, 'document')} of other kinds ignored` : '';
  return `${counted(fates.length, 'object')}: ${parts.join(', ')}; ${counted(sent.length, 'request')} planned${others}`;
}

/** `PipeSettings ingest/orders`. */
export function titleOf({ definition, namespace, name }: PlannedObject): string {
  return `${definition.type.kind} ${namespace}/${name}`;
}

/** What the changes are compared with. */
export function basisOf({ preview: shown, response }: PlannedObject): string {
  return shown?.basis === 'LastResponse'
    ? `compared with ${response}`
    : 'not compared, because no response has shown the present values yet';
}

export function requestsHeading({ does }: Preview): string {
  return does === 'withheld' ? 'Would send otherwise' : 'Would send';
}
