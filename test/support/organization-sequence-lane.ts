import { randomUUID } from 'node:crypto';
import { startInner } from './inner-operator.ts';
import { createReference } from './organization-reference.ts';
import { createModelServer } from './organization-reference-server.ts';
import { keyOf } from './organization-reference-terms.ts';
import { organizationsOf } from './organization-scene.ts';
import { diceOf, drawEndpoints, drawFirst, drawHabits, drawStep, type Step } from './organization-sequence.ts';
import { API_TIMEOUT_MS, compare, finish, type Stage, take } from './organization-sequence-stage.ts';
import { openScene } from './scene.ts';

/** A clock further ahead starts anew: deletion times are the API server's, and clean-up is given up 24 h after them at most. */
const FAR_AHEAD_MS = 6 * 3_600_000;
const FLAGS = ['--api-timeout', `${API_TIMEOUT_MS}ms`, '--cleanup-deadline', '24h'];

/** An operator with an API and a clock of its own, for one sequence after another. */
export interface Lane {
  /** Plays the sequence of a seed and gives how many steps it had; throws with its story at the first difference from the reference. */
  play(seed: number): Promise<number>;
  end(): Promise<void>;
}

export async function openLane(): Promise<Lane> {
  const scene = await openScene({ start: false });
  const orgs = organizationsOf(scene);
  let operator = await startInner(scene, { flags: FLAGS });

  async function sequence(seed: number, story: string[]): Promise<number> {
    const { simulator } = scene;
    const dice = diceOf(seed);
    const habits = drawHabits(dice);
    const list = drawEndpoints(dice, 3).map((one) => ({ ...one, description: 'theirs' }));
    const server = createModelServer(habits, { name: 'At the start', list });
    const reference = createReference(server);
    const organizationId = randomUUID();
    const name = `sequence-${seed}`;
    const key = await scene.newKey(name);
    const stage: Stage = { scene, orgs, operator, name, organizationId, keyId: key.id, server, reference };
    const shown = dice.one(['as-is', 'as-is', 'reversed', 'doubled'] as const);
    simulator.play({ organization: { ...habits, list: shown, refusedIds: [] } });
    simulator.setOrganization(organizationId, { name: server.name, add: list });
    story.push(`listed ${list.map(keyOf).join(' ')}, ${JSON.stringify(habits)}, list ${shown}`);

    const steps = 4 + dice.below(4);
    for (let count = 0; count <= steps; count += 1) {
      const step = count === 0 ? drawFirst(dice) : count < steps ? drawStep(dice, reference.wish ?? {}, server) : LAST;
      story.push(told(step));
      await take(stage, step);
      await compare(stage);
      story.push(`  → ${JSON.stringify(reference.rest())}`);
    }
    await finish(stage);
    return steps;
  }

  return {
    async play(seed) {
      if (operator.clock.now() - Date.now() > FAR_AHEAD_MS) {
        await operator.stop();
        operator = await startInner(scene, { flags: FLAGS });
      }
      const story: string[] = [];
      try {
        return await sequence(seed, story);
      } catch (error) {
        const what = error instanceof Error ? error.message : String(error);
        throw new Error(`seed ${seed}:\n${story.join('\n')}\n${what}`, { cause: error });
      } finally {
        scene.simulator.clear();
      }
    },
    async end() {
      await operator.stop();
      await scene.end();
    },
  };
}

const LAST: Step = { do: 'request', mishaps: [] };

function told(step: Step): string {
  if (!('mishaps' in step)) return JSON.stringify(step);
  const { mishaps, ...rest } = step;
  return JSON.stringify({ ...rest, ...(mishaps.length > 0 && { mishaps: mishaps.map(({ text }) => text) }) });
}
