import type { Forecast } from '../../kinds/engine/forecast.ts';
import type { Definition } from '../../kinds/schema/definition.ts';
import type { Place } from '../manifests/documents.ts';
import type { Problem } from '../manifests/manifests.ts';

/** One manifest, judged. */
export interface PlannedObject {
  readonly definition: Definition;
  readonly namespace: string;
  readonly name: string;
  readonly place: Place;
  /** Not empty: it is not valid, and nothing else is said of it. */
  readonly problems: readonly Problem[];
  readonly forecast?: Forecast;
  /** It is not in the cluster yet. */
  readonly isNew?: boolean;
  /** What the reader should know besides, one sentence each. */
  readonly remarks: readonly string[];
}

/** An object of the cluster that the manifests have no more. */
export interface Absence {
  readonly definition: Definition;
  readonly namespace: string;
  readonly name: string;
  readonly forecast: Forecast;
}

/** A whole plan. */
export interface Planned {
  readonly objects: readonly PlannedObject[];
  readonly absent: readonly Absence[];
  /** Of our group, and yet no kind of ours. */
  readonly strays: readonly Problem[];
  /** Documents of other kinds. */
  readonly skipped: number;
  /** No cluster was asked: what objects hold already is not known. */
  readonly isOffline: boolean;
  /** Epoch ms. */
  readonly now: number;
}

/** What becomes of it, in one word, as all formats count it. */
export type Fate = 'invalid' | 'sends' | 'stopped' | 'unchanged';

export function fateOf({ problems, forecast }: PlannedObject): Fate {
  if (problems.length > 0 || !forecast) return 'invalid';
  if (forecast.does === 'stop') return 'stopped';
  return forecast.does === 'send' ? 'sends' : 'unchanged';
}

/** Something leaves for it: also where a cap lets only the look through. */
export function requestCount({ objects, absent }: Planned): number {
  return [...objects, ...absent].reduce(
    (sum, { forecast }) => sum + (forecast?.requests.length ?? 0),
    0,
  );
}

export function withFate({ objects }: Planned, fate: Fate): readonly PlannedObject[] {
  return objects.filter((object) => fateOf(object) === fate);
}

/** `pset/orders`. */
export function titleOf({ definition, name }: Pick<PlannedObject, 'definition' | 'name'>): string {
  return `${definition.shortName}/${name === '' ? '(no name)' : name}`;
}
