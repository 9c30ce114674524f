import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Call } from '../simulator/types.ts';
import { type Objects, refOf, type Shown } from './objects.ts';
import { type Ran, runPlugin } from './plugin.ts';
import type { View } from './view.ts';
import { kubectl, NAMESPACE, type World } from './world.ts';

/**
 * What a step of the story is told and checked with. Everything here throws when the demo is
 * stopped or a check fails. An object goes by its `refOf`.
 */
export interface Stage extends World {
  /** Tells a sentence, and leaves time to read it where somebody watches. */
  tell(text: string): Promise<void>;
  /** The pause between two steps, where somebody watches. */
  breathe(): Promise<void>;
  createNamespace(): Promise<void>;
  /** Shows and runs `kubectl -n ingest …`. */
  kubectl(args: readonly string[]): Promise<void>;
  /** The same, and shows what it printed as well. */
  print(args: readonly string[]): Promise<string>;
  /**
   * Shows and runs `kubectl pipewright …` as a user does, and shows what it printed, or the first
   * lines of it. Leaves time to look at them where somebody watches.
   */
  plugin(args: readonly string[], options?: { readonly head?: number }): Promise<Ran>;
  /** Keeps a manifest, for `-f` of the plugin. */
  writeManifest(name: string, text: string): Promise<void>;
  /** kubectl apply of a text that stands in `shownAs`. */
  apply(text: string, shownAs: string): Promise<void>;
  /** kubectl patch of an object's spec. */
  edit(ref: string, spec: unknown): Promise<void>;
  /** Waits until the status speaks of the last change made here, with this reason, and fits. */
  becomes(ref: string, reason: string, fits?: (object: Shown) => boolean): Promise<Shown>;
  gone(ref: string): Promise<void>;
  /** Says that something holds, or fails with `seen`. */
  check(claim: string, holds: boolean, seen: unknown): void;
  /**
   * Calls that the API has received since the last time this was asked, but for those of someone
   * else.
   */
  newCalls(): Call[];
  /** Waits a moment in which nothing may arrive at the API, and fails if something does. */
  staysQuiet(claim: string): Promise<void>;
  /** The object that was looked at last. */
  lastLookedAt(): string | undefined;
}

/** Far more than any of it takes: a machine may be slow, and loaded besides. */
const PATIENCE_MS = 60_000;
/** Much longer than the operator takes to act on a change. */
const QUIET_MS = 2_000;
const READ_MS_PER_CHARACTER = 28;
const LOOK_MS_PER_LINE = 600;
const BREATH_MS = 2_500;

export interface StageOptions {
  readonly world: World;
  readonly view: View;
  readonly objects: Objects;
  /** Whether somebody reads along. */
  readonly audience: boolean;
  readonly signal: AbortSignal;
}

export function createStage({ world, view, objects, audience, signal }: StageOptions): Stage {
  const { simulator, controlPlane } = world;
  /** The generation that a change made here gave the object. */
  const generations = new Map<string, number>();
  let callsSeen = 0;
  let last: string | undefined;

  const run = async (args: readonly string[], stdin?: string) => {
    signal.throwIfAborted();
    return kubectl(controlPlane, ['-n', NAMESPACE, ...args], stdin);
  };
  /** What kubectl printed as JSON: the object as it was stored. */
  const remember = (output: string) => {
    const object = JSON.parse(output) as Shown;
    last = refOf(object);
    generations.set(last, object.metadata.generation ?? 0);
  };
  const newCalls = () => {
    const found = simulator.calls().filter(({ seq }) => seq > callsSeen);
    callsSeen = found.at(-1)?.seq ?? callsSeen;
    return found.filter(({ keyId }) => keyId !== world.someone.keyId);
  };

  const stage: Stage = {
    ...world,
    async tell(text) {
      view.say('text', text);
      if (audience) await pause(text.length * READ_MS_PER_CHARACTER, undefined, { signal });
    },
    async breathe() {
      if (audience) await pause(BREATH_MS, undefined, { signal });
    },
    async createNamespace() {
      view.say('command', `kubectl create namespace ${NAMESPACE}`);
      await kubectl(controlPlane, ['create', 'namespace', NAMESPACE]);
    },
    async kubectl(args) {
      view.say('command', `kubectl -n ${NAMESPACE} ${args.map(quoted).join(' ')}`);
      await run(args);
    },
    async print(args) {
      view.say('command', `kubectl -n ${NAMESPACE} ${args.map(quoted).join(' ')}`);
      const output = (await run(args)).trimEnd();
      for (const line of output.split('\n')) view.say('plain', `  ${line.trimEnd()}`);
      return output;
    },
    async plugin(args, { head } = {}) {
      const cut = head === undefined ? '' : ` | head -n ${head}`;
      view.say('command', `kubectl pipewright ${args.map(quoted).join(' ')}${cut}`);
      signal.throwIfAborted();
      const ran = await runPlugin(world, args);
      const lines = ran.stdout.trimEnd().split('\n').slice(0, head);
      for (const line of lines) view.say('plain', `  ${line}`.trimEnd());
      if (audience) await pause(lines.length * LOOK_MS_PER_LINE, undefined, { signal });
      return ran;
    },
    writeManifest: (name, text) => writeFile(join(world.manifests, name), text),
    async apply(text, shownAs) {
      view.say('command', `kubectl apply -f ${shownAs}`);
      remember(await run(['apply', '-o', 'json', '-f', '-'], text));
    },
    async edit(ref, spec) {
      const patch = JSON.stringify({ spec });
      view.say('command', `kubectl -n ${NAMESPACE} patch ${ref} --type merge -p '${patch}'`);
      remember(await run(['patch', ref, '-o', 'json', '--type', 'merge', '-p', patch]));
    },
    async becomes(ref, reason, fits = () => true) {
      last = ref;
      const wanted = generations.get(ref) ?? 0;
      const isIt = (object: Shown) => {
        const { metadata, status } = object;
        const ready = readyOf(object);
        const current =
          metadata.generation === status.observedGeneration && status.observedGeneration >= wanted;
        return current && ready.reason === reason && fits(object);
      };
      return objects.until(ref, isIt, {
        what: `${ref} becoming ${reason}`,
        timeoutMs: PATIENCE_MS,
        signal,
      });
    },
    gone: (ref) =>
      objects.untilGone(ref, { what: `${ref} being gone`, timeoutMs: PATIENCE_MS, signal }),
    check(claim, holds, seen) {
      signal.throwIfAborted();
      if (!holds) throw new Error(`${claim}: this does not hold; seen: ${JSON.stringify(seen)}`);
      view.say('good', claim);
    },
    newCalls,
    async staysQuiet(claim) {
      await pause(QUIET_MS, undefined, { signal });
      const calls = newCalls();
      stage.check(claim, calls.length === 0, calls);
    },
    lastLookedAt: () => last,
  };
  return stage;
}

export function readyOf({ status }: Shown): Shown['status']['conditions'][number] {
  const ready = status.conditions.find(({ type }) => type === 'Ready');
  if (!ready) throw new Error(`an object without the condition Ready: ${JSON.stringify(status)}`);
  return ready;
}

export function hasCondition({ status }: Shown, type: string): boolean {
  return status.conditions.some(
    (condition) => condition.type === type && condition.status === 'True',
  );
}

/** As it would be typed into a shell. */
function quoted(argument: string): string {
  return /^[\w@%+=:,./-]+$/.test(argument) ? argument : `'${argument}'`;
}
