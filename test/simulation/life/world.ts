import type { CallBehaviour, Rate, ScriptedAnswer } from '../../simulator/types.ts';
import type { Fate } from '../network/wire.ts';
import type { EndpointView } from '../record/facts.ts';
import type { Plural } from '../record/objects.ts';
import type { Life } from './life.ts';
import type { Spec } from './specs.ts';

export interface ObjectDraft {
  readonly plural: Plural;
  readonly namespace: string;
  readonly name: string;
  readonly spec: Spec;
  /** When it is created; before the operator starts where this is 0. */
  readonly atMs: number;
}

export interface ApiKey {
  readonly namespace: string;
  readonly id: string;
  readonly secret: string;
}

/** One way in which the API differs from the plainest one that its document allows. */
export interface Manner {
  readonly name: string;
  readonly behaviour: CallBehaviour;
}

export interface OrganizationDraft {
  readonly id: string;
  readonly manners: readonly Manner[];
  /** Endpoints of others that are there from the start. */
  readonly others: readonly EndpointView[];
}

export interface PipeDraft {
  readonly organizationId: string;
  readonly pipeId: string;
  readonly manners: readonly Manner[];
}

export interface ActivityDraft {
  readonly organizationId: string;
  readonly activityId: string;
  /** When its record is there; undefined: never. */
  readonly fromMs: number | undefined;
}

/** Everything that is there when a life begins. */
export interface World {
  readonly seed: string;
  /** `elected`: two processes and a Lease; else one without. */
  readonly flags: { rate: string; timeoutSeconds: number; elected: boolean; namespaces?: string };
  readonly namespaces: readonly string[];
  readonly organizations: readonly OrganizationDraft[];
  readonly pipes: readonly PipeDraft[];
  readonly activities: readonly ActivityDraft[];
  /** One of each namespace; what its Secret holds is the same, but where an act says otherwise. */
  readonly keys: readonly ApiKey[];
  readonly objects: readonly ObjectDraft[];
  /** The API's own limit for each key. */
  readonly rate?: Rate;
  /** From then on nobody acts, and everything that was broken works again. */
  readonly restAt: number;
}

/** One thing that somebody does at a time. */
export interface Act {
  /** By which a telling can leave it out. */
  readonly id: string;
  readonly atMs: number;
  /** It passes, and what it did to the operator must leave no trace: the differential oracle. */
  readonly isMishap: boolean;
  /** Does it, and says so in one plain sentence; undefined: there was nothing to do it to. */
  readonly perform: (life: Life) => string | undefined;
}

interface Midst {
  readonly when: 'asks' | 'leaves' | 'done';
  readonly run: (life: Life) => void;
}

/** What befalls one request of the operator, and nobody else. */
export interface Mishap {
  readonly text: string;
  readonly fate?: Partial<Fate>;
  /** What the management API answers in place of its own. */
  readonly answer?: ScriptedAnswer;
  /** What the API server answers in place of the work. */
  readonly refusal?: number;
  /** Somebody acts: before its connection stands, when it leaves, or when the work is done. */
  readonly acts?: Midst;
}

/** A request that something may befall: a call, a write, a read of a Secret. */
export interface Point {
  /** `PUT status of organizations/team-a/o1 #2`. */
  readonly name: string;
  readonly isCall: boolean;
  readonly process: string;
  /** The object that it is a write of, or the target that it is a call for. */
  readonly about: string;
}

export interface Script {
  readonly acts: readonly Act[];
  readonly mishap: (point: Point) => Mishap | undefined;
}
