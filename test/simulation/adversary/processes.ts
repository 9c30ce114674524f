import type { Act } from './act.ts';

/** What becomes of the operator's processes. */
export const processActs: readonly Act[] = [
  {
    name: 'crash',
    means: 'crashes',
    weight: 5,
    perform: (life, draw, focus) => life.fleet.crash(draw, focus),
  },
  {
    name: 'terminate',
    means: 'terminations',
    weight: 3,
    perform: (life, draw, focus) => life.fleet.terminate(draw, focus),
  },
  {
    name: 'drain',
    means: 'terminations',
    weight: 2,
    perform: (life, draw, focus) => {
      const told = life.fleet.terminate(draw, focus);
      if (told === undefined) return undefined;
      const seconds = draw.pick([3, 6, 12]);
      for (const pool of life.fleet.apiPools()) pool.die();
      life.weather.kubeSlow = { id: 'slow', what: seconds, until: life.timeline.now + 60_000 };
      return `the node goes away: ${told}, its connections to the management API are dead, and the API server takes ${seconds} s for everything`;
    },
  },
  {
    name: 'freeze',
    means: 'freezes',
    weight: 3,
    perform: (life, draw, focus) => life.fleet.freeze(draw, focus),
  },
  {
    name: 'clock jumps',
    means: 'clocks',
    weight: 2,
    perform: (life, draw) => {
      const minutes = draw.pick([-60, -5, 5, 60]);
      return life.fleet.jumpClock(draw, minutes);
    },
  },
  {
    name: 'connection dies',
    means: 'dead connections',
    weight: 3,
    perform: (life, draw) => {
      const pools = draw.chance(0.7) ? life.fleet.kubePools() : life.fleet.apiPools();
      const open = pools.filter((pool) => !pool.closed);
      if (open.length === 0) return undefined;
      const pool = draw.pick(open);
      pool.die();
      return `the connections of ${pool.owner} to ${pool.peer} are dead, and nobody is told`;
    },
  },
  {
    name: 'merge shards',
    means: 'shards',
    weight: 4,
    perform: (life) => life.fleet.mergeShards(),
  },
  {
    name: 'other api',
    means: 'other apis',
    weight: 2,
    perform: (life) => life.fleet.moveToOtherApi(),
  },
];
