/** Does this for every item, so many at once. */
export async function inParallel<T>(
  items: readonly T[],
  atOnce: number,
  run: (item: T) => Promise<unknown>,
): Promise<void> {
  const left = items.values();
  const worker = async (): Promise<void> => {
    for (const item of left) await run(item);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
