/** How fast costs grow with size. */

export interface Sized {
  readonly size: number
  readonly cost: number
}

/** What ten times as much costs at most, in times: the worst of two neighbouring sizes. */
export const tenfold = (costs: ReadonlyArray<Sized>): number =>
  Math.max(
    ...costs.slice(1).map(({ cost, size }, at) => {
      const before = costs[at]!
      return (cost / before.cost) ** (1 / Math.log10(size / before.size))
    })
  )
