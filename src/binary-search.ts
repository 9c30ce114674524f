/** The first place in [from, to) from which on it is so, for places in order; `to`: none is. */
export function firstPlace(from: number, to: number, isSo: (place: number) => boolean): number {
  let [low, high] = [from, to];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isSo(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
