/** The orders in which things are listed (decisions 1.7). */

/** Text by its code units, which is byte order for ids, dates and timestamps. */
export const ascending = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

interface Aged {
  readonly id: string
  readonly createdAt: string
}

export const byAge = (a: Aged, b: Aged): number => ascending(a.createdAt, b.createdAt) || ascending(a.id, b.id)

export const byOrderThenAge = (a: Aged & { readonly order: number }, b: Aged & { readonly order: number }): number =>
  a.order - b.order || byAge(a, b)

/** Days upwards, no day last. */
export const byDate = (a: string | null, b: string | null): number =>
  a === b ? 0 : a === null ? 1 : b === null ? -1 : ascending(a, b)

/** Index of the first element that `isAfter` holds for, in a list where it holds from some place on. */
export const firstIndex = <A>(list: ReadonlyArray<A>, isAfter: (element: A) => boolean): number => {
  let low = 0
  let high = list.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (isAfter(list[middle]!)) high = middle
    else low = middle + 1
  }
  return low
}
