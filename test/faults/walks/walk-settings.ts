import type { Dice } from '../../support/dice.ts';
import { ORGANIZATION, SERVICE } from '../../support/scene.ts';
import type { Spec } from './walk-draw.ts';
import type { Walker } from './walk-world.ts';

/** What this API refuses or alters, beyond what its document says. */
const MOST_CONCURRENCY = 20;
const MOST_INSERT_THREADS = 8;
const NOT_APPLICABLE = 'engine_max_download_threads';

type Settings = Readonly<Record<string, number | boolean>>;

const at = (name: string): string => `${ORGANIZATION}/${SERVICE}/${name}`;

/** PipeSettings on walks. */
export const pipeSettings: Walker = {
  kind: 'PipeSettings',
  api: {
    settings: {
      ranges: { object_storage_concurrency: [1, MOST_CONCURRENCY] },
      clamp: { engine_max_insert_threads: [0, MOST_INSERT_THREADS] },
      notApplicable: [NOT_APPLICABLE],
    },
  },
  drawing: {
    own: (dice) => ({ settings: drawSettings(dice) }),
    wrong: [
      { settings: {} },
      { settings: { engine_max_threads: 65 } },
      { settings: { engine_max_threads: '8' } },
      { settings: { engine_max_threads: 1.5 } },
      { settings: { no_such_setting: 1 } },
      { mode: 'Dream' },
      { suspend: 'yes' },
      { reassertInterval: '5m' },
      { reassertInterval: 'often' },
      { pipeId: 'another' },
      { credentialsSecretRef: {} },
      { credentialsSecretRef: { name: 'Not a name' } },
      { noSuchField: true },
    ],
  },
  mayRecreate: true,
  begin: () => undefined,
  theirs({ simulator }, name, value) {
    simulator.setSettings(at(name), { object_storage_max_file_count: 1 + value });
  },
  held: ({ simulator }, name) => simulator.settingsOf(at(name)) ?? {},
  give({ simulator }, name, held, changedBy) {
    const declared = Object.keys(changedBy ? settingsOf(changedBy) : {});
    const others = Object.entries(held as Settings).filter(
      ([setting]) => !declared.includes(setting),
    );
    simulator.setSettings(at(name), Object.fromEntries(others));
  },
  wants: (held, spec) => ({ ...(held as Settings), ...settingsOf(spec) }),
  isPartlyTaken: false,
  refusal(spec) {
    const {
      object_storage_concurrency: concurrency = 0,
      engine_max_insert_threads: threads = 0,
      ...rest
    } = settingsOf(spec);
    if (Number(concurrency) > MOST_CONCURRENCY || NOT_APPLICABLE in rest) return 'Rejected';
    return Number(threads) > MOST_INSERT_THREADS ? 'NotConfirmed' : undefined;
  },
};

function settingsOf(spec: Spec): Settings {
  return spec['settings'] as Settings;
}

function drawSettings(dice: Dice): Settings {
  const drawn: Settings = {
    ...(dice.chance(0.5) && { streaming_max_insert_wait_ms: 500 + dice.below(1_000) }),
    ...(dice.chance(0.5) && {
      object_storage_concurrency: 1 + dice.below(dice.chance(0.8) ? MOST_CONCURRENCY : 35),
    }),
    ...(dice.chance(0.4) && {
      engine_max_insert_threads: dice.below(dice.chance(0.8) ? MOST_INSERT_THREADS + 1 : 17),
    }),
    ...(dice.chance(0.4) && { engine_parallel_view_processing: dice.chance(0.5) }),
    ...(dice.chance(0.06) && { [NOT_APPLICABLE]: dice.below(33) }),
  };
  return { engine_max_threads: dice.below(65), ...drawn };
}
