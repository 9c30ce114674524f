import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/** More would save little processor time; see `test/bench/README.md`. */
const MOST_FOR_NEW_BYTES = 4 * 2 ** 20;

/**
 * Fits V8 to a process that mostly waits: it is made for those that compute, and takes memory for
 * speed. V8 reads each of these flags whenever it decides, so they hold from now on. The figures
 * are in `test/bench/README.md`.
 */
export function tuneV8(): void {
  // For the rest collector.
  setFlagsFromString('--expose-gc');
  // Little of what a reconcile runs is run often enough to be worth its last compiler.
  setFlagsFromString('--no-turbofan');
  // The parser of HTTP/1.1 is WebAssembly. To compile it a second time, for speed, takes 15 MB that
  // are not given back, and saves nothing that can be measured.
  setFlagsFromString('--no-wasm-tier-up');
  setFlagsFromString('--no-wasm-dynamic-tiering');
  // After a collection the heap would be let grow to a multiple before the next one.
  setFlagsFromString('--heap-growing-percent=20');
  limitNewSpace();
}

/**
 * Ends the growth of the space for new objects. Bursts, such as the first list, would let V8 grow
 * it to many times what a reconcile needs, and it is not given back at rest.
 */
function limitNewSpace(): void {
  const look = (): void => {
    const space = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
    if ((space?.space_size ?? 0) < MOST_FOR_NEW_BYTES) return;
    setFlagsFromString('--semi-space-growth-factor=1');
    collections.disconnect();
  };
  const collections = new PerformanceObserver(look);
  collections.observe({ type: 'gc' });
}
