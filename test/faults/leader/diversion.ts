/**
 * What makes a process with it before the bundle connect to another server than it believes; both
 * are of this machine.
 */
export function diversion(given: { readonly from: string; readonly to: string }): string {
  const url = new URL('./diversion-preload.ts', import.meta.url);
  for (const [name, address] of Object.entries(given))
    url.searchParams.set(name, new URL(address).port);
  return url.href;
}
