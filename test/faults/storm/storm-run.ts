import { setTimeout as pause } from 'node:timers/promises';
import { waitFor } from '../../controlplane/client.ts';
import type { Call } from '../../simulator/types.ts';
import { movedTime } from '../clock/long-waits.ts';
import { openStage } from '../stage.ts';
import { createFleet, type Fleet } from './storm-fleet.ts';
import { type Arrival, createSky, type Sky, type Weather } from './storm-weather.ts';

export interface Storm {
  readonly weather: Weather;
  readonly pipes: number;
  readonly organizations: number;
  readonly seed: number;
}

/** What was seen of a storm and of the silence after it. */
export interface Seen {
  /** How long it took by the operator's time until all was as the last edit wanted it. */
  readonly convergedMs: number;
  readonly fleet: Fleet;
  /** Until all had converged. */
  readonly during: { readonly arrivals: readonly Arrival[]; readonly calls: readonly Call[] };
  /** Requests to Kubernetes, watches and their lists not counted, and calls in the quiet minute. */
  readonly after: { readonly arrivals: readonly Arrival[]; readonly calls: readonly Call[] };
  readonly openings: Sky['openings'];
  /** Of every object, before and after the quiet minute. */
  readonly versions: readonly [Readonly<Record<string, string>>, Readonly<Record<string, string>>];
}

const EDITS = 3;
const BETWEEN_EDITS_MS = 4_000;
const QUIET_MS = 60_000;
/**
 * A removal that was refused is tried again ten minutes later, to which the clock is moved: by the
 * usual deadline, ten minutes too, its object would be let go with an event in place of that.
 */
const NO_DEADLINE = ['--cleanup-deadline', '24h'];
/** Events may still be on their way when the last object is Ready. */
const STILL_MS = 5_000;

/**
 * Edits all objects again and again while the storm rages, lets it end some time after the last
 * edit, waits until all is as wanted, and then watches for a minute. `boundMs`: what the waits that
 * stood at the end of the storm may add up to.
 */
export async function runStorm(
  { weather, pipes, organizations, seed }: Storm,
  boundMs: number,
): Promise<Seen> {
  const sky = createSky(weather, seed);
  const stage = await openStage({
    kube: sky.handlers,
    flags: [...NO_DEADLINE, ...(weather.api ? ['--api-timeout', '2s'] : [])],
    logLevel: 'info',
  });
  try {
    const { simulator, kube } = stage;
    const fleet = createFleet({ scene: stage, pipes, organizations });
    // Straight to the simulator: a proxy would make every answer that breaks off a reset.
    const time = movedTime();
    const operator = await stage.start({
      to: { ...stage.api, url: simulator.url },
      preload: [time.preload()],
    });
    await waitFor(() => kube.watches.size >= 3, { what: 'a watch of every kind' });
    sky.rage({ kube, simulator });
    for (let count = 0; count < EDITS; count += 1) {
      await fleet.edit();
      if (count === EDITS - 2) await fleet.removeOne();
      await pause(BETWEEN_EDITS_MS);
    }
    sky.calm();
    const calmAt = time.now();
    await fleet.converge(boundMs, async () => time.passWait(await fleet.notDone(), operator));
    const convergedMs = time.now() - calmAt;
    await waitFor(() => Date.now() - (sky.arrivals.at(-1)?.at ?? 0) > STILL_MS, {
      what: 'the last request',
    });
    const during = { arrivals: [...sky.arrivals], calls: [...simulator.log] };
    const before = await fleet.versions();
    await pause(QUIET_MS);
    await fleet.check();
    return {
      convergedMs,
      fleet,
      during,
      after: {
        arrivals: sky.arrivals.slice(during.arrivals.length).filter((one) => !isList(one)),
        calls: simulator.log.slice(during.calls.length),
      },
      openings: sky.openings,
      versions: [before, await fleet.versions()],
    };
  } finally {
    sky.calm();
    await stage.end();
  }
}

/**
 * Where others are busy, the API server soon forgets the version from which a quiet watch would go
 * on.
 */
function isList({ method, path }: Arrival): boolean {
  return method === 'GET' && /\/(pipesettings|organizations|activities|secrets)$/.test(path);
}
