import { setFlagsFromString } from 'node:v8';

/** In percent. A heap of few objects has least memory with it, and its collections cost little. */
export const LEAST_GROWTH = 20;

/**
 * Fits V8 to a process that mostly waits: it is made for those that compute, and takes memory for
 * speed. V8 reads each of these flags whenever it decides, so they hold from now on.
 */
export function tuneV8(): void {
  // For the rest collector.
  setFlagsFromString('--expose-gc');
  // Bursts, such as the first list, would let V8 grow the space for new objects to many times what
  // a reconcile needs, and it is given back only at rest.
  setFlagsFromString('--semi-space-growth-factor=1');
  letHeapGrow(LEAST_GROWTH);
  // The last compiler takes 8 MB, and saves a few percent of the processor time with thousands of
  // objects, nothing with fewer.
  setFlagsFromString('--no-turbofan');
  // The parser of HTTP/1.1 is WebAssembly. To compile it a second time, for speed, takes 15 MB that
  // are not given back, and saves nothing that can be measured.
  setFlagsFromString('--no-wasm-tier-up');
  setFlagsFromString('--no-wasm-dynamic-tiering');
}

/**
 * By how many percent the heap may grow after a collection before the next one; by default, to a
 * multiple. V8 itself allows some megabytes at the least.
 */
export function letHeapGrow(percent: number): void {
  setFlagsFromString(`--heap-growing-percent=${percent}`);
}
