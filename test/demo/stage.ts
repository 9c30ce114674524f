import { setTimeout as pause } from 'node:timers/promises';
import { waitFor } from '../controlplane/wait-for.ts';
import type { Call } from '../simulator/types.ts';
import type { Row, View } from './view.ts';
import { NAMESPACE, type World } from './world.ts';

/** An object of any of the three kinds, as far as the story reads it. */
export interface Shown {
  readonly kind: string;
  readonly metadata: { name: string; generation: number; finalizers?: readonly string[] };
  readonly spec: Readonly<Record<string, unknown>>;
  readonly status: Readonly<Record<string, unknown>> & {
    readonly observedGeneration: number;
    readonly conditions: readonly Condition[];
  };
}

type Condition = Readonly<Record<'type' | 'status' | 'reason' | 'message', string>>;

/** Far more than any of it takes: a machine may be slow, and loaded besides. */
const PATIENCE = { timeoutMs: 60_000 };
const READ_MS_PER_CHARACTER = 28;

export type Stage = ReturnType<typeof createStage>;

/** What a step of the story says, does and checks with; an object goes by a name as `PipeSettings/orders`. */
export function createStage(world: World, view: View, options: { readonly isWatched: boolean }) {
  const { controlPlane, simulator } = world;
  let callsSeen = 0;

  const read = async (): Promise<readonly Shown[]> => {
    const get = `get pset,porg,pact -n ${NAMESPACE} -o json`;
    const { stdout } = await controlPlane.kubectl(get.split(' '));
    const { items } = JSON.parse(stdout) as { items: readonly Shown[] };
    view.objects(items.map(rowOf));
    return items;
  };

  return {
    ...world,
    async tell(sentence: string): Promise<void> {
      view.say(`  ${sentence}`);
      if (options.isWatched) await pause(sentence.length * READ_MS_PER_CHARACTER);
    },
    /** Shows and runs a command of kubectl, and shows what it printed; 2 is an answer of the plugin. */
    async kubectl(line: string, ...more: readonly string[]) {
      const shown = more.map((argument) => ` '${argument}'`).join('');
      view.say(`  $ kubectl ${line}${shown}`, 'bold');
      const ran = await controlPlane.kubectl([...line.split(' '), ...more]);
      if (ran.code !== 0 && ran.code !== 2)
        throw new Error(`kubectl ${line} ended with ${ran.code}: ${ran.stderr.trim()}`);
      const lines = ran.stdout.trimEnd().split('\n');
      view.say(lines.map((one) => `    ${one}`.trimEnd()).join('\n'), 'dim');
      if (options.isWatched) await pause(Math.min(lines.length, 10) * 500);
      return ran;
    },
    /** The object, once its status speaks of its present spec, with this reason, and fits. */
    async becomes(name: string, reason: string, fits: (one: Shown) => boolean = () => true) {
      const isIt = (one: Shown): boolean =>
        nameOf(one) === name &&
        one.status.observedGeneration === one.metadata.generation &&
        readyOf(one).reason === reason &&
        fits(one);
      const found = async () => (await read()).find(isIt);
      return (await waitFor(found, { ...PATIENCE, what: `${name} becoming ${reason}` })) as Shown;
    },
    gone: (name: string) =>
      waitFor(async () => (await read()).every((one) => nameOf(one) !== name), {
        ...PATIENCE,
        what: `${name} being gone`,
      }),
    /** Says that something holds, or fails with `seen`. */
    check(claim: string, holds: boolean, seen: unknown): void {
      if (!holds) throw new Error(`${claim}: this does not hold; seen: ${JSON.stringify(seen)}`);
      view.say(`  ✓ ${claim}`, 'green');
    },
    /** What the API got of the operator since this was asked last. */
    newCalls(): Call[] {
      const found = simulator.calls().filter(({ seq }) => seq > callsSeen);
      callsSeen = found.at(-1)?.seq ?? callsSeen;
      return found.filter(({ keyId }) => keyId !== world.someone.keyId);
    },
    read,
  };
}

function nameOf({ kind, metadata }: Shown): string {
  return `${kind}/${metadata.name}`;
}

export function readyOf({ status }: Shown): Condition {
  const ready = status.conditions.find(({ type }) => type === 'Ready');
  if (!ready) throw new Error(`an object without the condition Ready: ${JSON.stringify(status)}`);
  return ready;
}

export function isStalled({ status }: Shown): boolean {
  return status.conditions.some((one) => one.type === 'Stalled' && one.status === 'True');
}

function rowOf(object: Shown): Row {
  const { status, reason } = readyOf(object);
  return { name: nameOf(object), ready: status, reason };
}
