/** The place of the first value that is not below `value`, in a list that is in order; its length where all are below. */
export const lowerBound = <Value extends number | string>(sorted: ReadonlyArray<Value>, value: Value): number => {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (sorted[middle]! < value) low = middle + 1
    else high = middle
  }
  return low
}
