import { describe, expect, test } from 'vitest';
import type { Label } from './crash-calls.ts';
import { type Moment, pointsOf } from './crash-points.ts';
import { firstContact, ORGANIZATION_WORKLOADS, SETTINGS_WORKLOADS } from './crash-workloads.ts';
import { deleteAt } from './deletion-runs.ts';

const ALIVE: readonly Moment[] = ['lost', 'done', 'replied'];
const contact = ORGANIZATION_WORKLOADS['first contact with two endpoints and a finalizer'];
const settings = SETTINGS_WORKLOADS['a new PipeSettings'];

/** Deleted while a call is under way, which goes on; and deleted after the operator died at it. */
function casesOf(calls: readonly Label[]) {
  const alive = pointsOf(calls, () => ALIVE).map((point) => {
    const when = point.moment === 'lost' ? 'sent' : point.moment;
    return { point, killed: false, when: `while it is ${when}` };
  });
  const dead = pointsOf(calls).map((point) => ({
    point,
    killed: true,
    when: `after a death at it: ${point.moment}`,
  }));
  return [...alive, ...dead];
}

describe('R12: deletionPolicy RemovePrivateEndpoints, deleted during first contact', () => {
  const create = firstContact('RemovePrivateEndpoints');
  test.concurrent.each(casesOf(contact.calls))(
    'ours are gone, and so is the object: $point.label $when',
    async ({ point, killed }) => {
      const { ids, moved, events } = await deleteAt({ ...contact, point, killed, create });
      expect(ids).toEqual(['theirs']);
      for (const { added, removed } of moved) {
        expect(added).toBe(removed);
        expect(added).toBeLessThanOrEqual(1);
      }
      expect(events).not.toContainEqual(expect.objectContaining({ reason: 'CleanupAbandoned' }));
    },
  );
});

describe('R12: deletionPolicy Retain, deleted during first contact', () => {
  const calls = contact.calls.filter((label) => label !== 'finalizer');
  const create = firstContact('Retain');
  test.concurrent.each(casesOf(calls))(
    'gone at once, what was added stays, and no more comes: $point.label $when',
    async ({ point, killed }) => {
      const {
        calls: made,
        before,
        ids,
        moved,
      } = await deleteAt({ ...contact, point, killed, create });
      const labels = made.map(({ label }) => label);
      expect(labels).not.toContain('finalizer');
      expect(labels.filter((label) => label === 'change').length).toBeLessThanOrEqual(1);
      const isLost = killed && point.label === 'change' && point.moment === 'lost';
      expect(ids).toEqual(labels.includes('change') && !isLost ? ['theirs', 'a', 'b'] : ['theirs']);
      for (const { removed } of moved) expect(removed).toBe(0);
      expect(killed ? made.slice(before) : [], 'calls of the next process').toEqual([]);
    },
  );
});

describe('R12: a PipeSettings, deleted while it is new', () => {
  test.concurrent.each(casesOf(settings.calls))(
    'gone at once, and nothing is sent again: $point.label $when',
    async ({ point, killed }) => {
      const { calls: made, before } = await deleteAt({
        ...settings,
        point,
        killed,
        create: settings.act,
      });
      expect(made.filter(({ label }) => label === 'put').length).toBeLessThanOrEqual(1);
      expect(killed ? made.slice(before) : [], 'calls of the next process').toEqual([]);
    },
  );
});
