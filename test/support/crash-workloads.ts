import { type CrashScene, NAME } from './crash-scene.ts';
import type { Label } from './crash-tap.ts';
import { endpoint } from './organization-scene.ts';

/** One thing a user does, and every call that it costs where nothing goes wrong. */
export interface Workload {
  readonly calls: readonly Label[];
  /** What was before; the operator runs. */
  prepare(scene: CrashScene): Promise<void>;
  act(scene: CrashScene): Promise<void>;
  finished(scene: CrashScene): Promise<void>;
  /** The ids that the API has at the end. */
  readonly ids: readonly string[];
}

const NAMED = { name: 'Acme Data' };
const CLEANED = { deletionPolicy: 'RemovePrivateEndpoints' };
const list = (...ids: string[]) => ({ privateEndpoints: ids.map((id) => endpoint(id)) });

const declare = async ({ orgs }: CrashScene, spec: Readonly<Record<string, unknown>>): Promise<void> =>
  orgs.create(NAME, spec);
const applied = async ({ orgs }: CrashScene): Promise<void> => {
  await orgs.until(NAME, 'Applied');
};
const nothing = (): Promise<void> => Promise.resolve();

/** The three changes of which every point is tried. */
export const WORKLOADS = {
  'an edit that adds two endpoints and removes one': {
    calls: ['intent', 'change', 'result'],
    async prepare(scene) {
      await declare(scene, { ...NAMED, ...list('a', 'b') });
      await applied(scene);
    },
    act: (scene) => declare(scene, { ...NAMED, ...list('b', 'c', 'd') }),
    finished: applied,
    ids: ['theirs', 'b', 'c', 'd'],
  },
  'first contact with two endpoints and a finalizer': {
    calls: ['finalizer', 'read', 'intent', 'change', 'result'],
    prepare: nothing,
    act: (scene) => declare(scene, { ...CLEANED, ...list('a', 'b') }),
    finished: applied,
    ids: ['theirs', 'a', 'b'],
  },
  'deletion that takes two endpoints back': {
    calls: ['intent', 'change', 'result', 'finalizer'],
    async prepare(scene) {
      await declare(scene, { ...CLEANED, ...list('a', 'b') });
      await applied(scene);
    },
    act: ({ orgs }) => orgs.remove(NAME),
    finished: ({ orgs }) => orgs.untilGone(NAME),
    ids: ['theirs'],
  },
} satisfies Record<string, Workload>;
