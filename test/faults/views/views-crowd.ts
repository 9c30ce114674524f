/**
 * Gives the way to what becomes of one of these cases. All run, so many at once, from the first
 * time that one is asked for.
 */
export function crowd<Case, Result>(
  cases: readonly Case[],
  { atOnce, run }: { readonly atOnce: number; readonly run: (one: Case) => Promise<Result> },
): (one: Case) => Promise<Result> {
  const results = new Map(cases.map((one) => [one, Promise.withResolvers<Result>()]));
  let isBegun = false;

  function begin(): void {
    isBegun = true;
    const waiting = results.entries();
    const work = async (): Promise<void> => {
      for (const [one, { resolve, reject }] of waiting) await run(one).then(resolve, reject);
    };
    for (let workers = 0; workers < atOnce; workers += 1) void work();
    // Whoever asks for it is told of a failure; it is not to end the process before.
    for (const { promise } of results.values()) promise.catch(() => undefined);
  }

  return (one) => {
    const result = results.get(one);
    if (!result) throw new Error('it is not one of the cases');
    if (!isBegun) begin();
    return result.promise;
  };
}
