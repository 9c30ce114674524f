/** Each is a process of kubectl. */
const AT_ONCE = 4;

/** The results of `run` in the order of the items, a few at a time. */
export async function inTurn<Item, Result>(
  items: readonly Item[],
  run: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const left = items.entries();
  const work = async (): Promise<void> => {
    for (const [at, item] of left) results[at] = await run(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return results;
}
