import { describe, expect, it } from 'vitest';
import { Draw, fractionFor } from '../simulation/engine/draw.ts';
import { Host } from '../simulation/engine/host.ts';
import { Timeline } from '../simulation/engine/timeline.ts';
import { countOf, scheduleOf } from '../simulation/scope/schedule.ts';

describe('a draw', () => {
  it('gives the numbers that were written down once, on another machine too', () => {
    const draw = new Draw('life 1');
    expect([draw.bits(), draw.bits(), draw.between(1, 100), draw.of('x').bits()]).toEqual([
      1_465_809_420, 3_989_954_674, 37, 3_430_650_098,
    ]);
    expect(fractionFor(7, 'leaves PUT /v1 #3')).toBe(0.5812504391651601);
  });

  it('under one name does not depend on what was drawn under another', () => {
    const [one, other] = [new Draw('s'), new Draw('s')];
    one.of('a').bits();
    one.bits();
    expect(one.of('b').bits()).toBe(other.of('b').bits());
  });

  it('draws each name about as often as its weight says', () => {
    const draw = new Draw('weights');
    const drawn = Array.from({ length: 4_000 }, () =>
      draw.weighted({ often: 3, seldom: 1, never: 0 }),
    );
    const share = drawn.filter((name) => name === 'often').length / drawn.length;
    expect(share).toBeGreaterThan(0.72);
    expect(share).toBeLessThan(0.78);
    expect(drawn).not.toContain('never');
  });
});

describe('the timeline', () => {
  it('lets events happen by their time, and by their order where times are equal', async () => {
    const timeline = new Timeline();
    const happened: string[] = [];
    timeline.at(20, () => happened.push(`c ${timeline.now}`));
    timeline.at(10, () => {
      happened.push(`a ${timeline.now}`);
      timeline.at(0, () => happened.push(`then ${timeline.now}`));
    });
    timeline.at(10, () => happened.push(`b ${timeline.now}`));
    await timeline.runUntil(15);
    expect(happened).toEqual(['a 10', 'b 10', 'then 10']);
    expect(timeline.now).toBe(15);
    await timeline.runUntil(20);
    expect(happened.at(-1)).toBe('c 20');
  });

  it('lets every promise that can go on do so before the next event', async () => {
    const timeline = new Timeline();
    const happened: string[] = [];
    const slowly = async (): Promise<void> => {
      for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
      happened.push('promise');
    };
    timeline.at(1, () => void slowly());
    timeline.at(1, () => happened.push('next'));
    await timeline.runUntil(2);
    expect(happened).toEqual(['promise', 'next']);
  });

  it('forgets what is taken back, and everything when it stops', async () => {
    const timeline = new Timeline();
    const happened: number[] = [];
    const cancel = timeline.at(1, () => happened.push(1));
    timeline.at(2, () => {
      happened.push(2);
      timeline.stop();
    });
    timeline.at(3, () => happened.push(3));
    cancel();
    await timeline.runUntil(10);
    expect(happened).toEqual([2]);
  });

  it('hands on what an event throws', async () => {
    const timeline = new Timeline();
    timeline.at(1, () => {
      throw new Error('an event fails');
    });
    await expect(timeline.runUntil(2)).rejects.toThrow('an event fails');
  });
});

describe('a host', () => {
  it('hears nothing while it stands still, everything afterwards, and nothing any more when it is dead', async () => {
    const timeline = new Timeline();
    const host = new Host('one', timeline, 1_000);
    const heard: string[] = [];
    host.at(10, () => heard.push(`timer ${timeline.now}`));
    timeline.at(5, () => host.freeze());
    timeline.at(30, () => host.thaw());
    await timeline.runUntil(40);
    expect(heard).toEqual(['timer 30']);
    host.at(10, () => heard.push('never'));
    host.die();
    await timeline.runUntil(60);
    expect(heard).toHaveLength(1);
  });

  it('has a wall clock that jumps and a monotonic one that does not', async () => {
    const timeline = new Timeline();
    const host = new Host('one', timeline, 1_000);
    await timeline.runUntil(500);
    host.jumpWall(-60_000);
    expect([host.now(), host.monotonic()]).toEqual([-58_500, 500]);
  });
});

describe('the small scope', () => {
  it('has every interleaving once', () => {
    const depth = 2;
    const all = Array.from({ length: countOf(depth) }, (_, number) =>
      JSON.stringify(scheduleOf(number, depth)),
    );
    expect(new Set(all).size).toBe(all.length);
    expect(all).toHaveLength(4 * 3 ** 4);
  });
});
