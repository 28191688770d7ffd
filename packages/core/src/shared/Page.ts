/** Pages of lists (decisions 1.6). */

/** What a caller asked for. */
export interface PageRequest {
  readonly cursor?: string
  readonly limit?: number
}

/** One page. `cursor` leads on; on the last page it is absent or, where the operation says so, a watermark. */
export interface Page<A> {
  readonly rows: ReadonlyArray<A>
  readonly hasMore: boolean
  readonly cursor?: string
}

export interface PageSize {
  readonly max: number
  readonly default: number
}

/** Sizes above the maximum are clamped; those below 1 were refused before. */
export const sizeOf = (size: PageSize, asked: number | undefined): number => Math.min(size.max, asked ?? size.default)
