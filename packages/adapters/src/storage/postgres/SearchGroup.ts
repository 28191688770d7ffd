/**
 * Groups of blocks for searches: what stands together in each of several blocks, bit beside bit, so that a search looks at one
 * row where it looked at sixteen.
 */

/** Blocks of one group, each with a bit at every place. */
export const groupBlocks = 16
/** Fewer have signatures of their own: a group takes a page, however many blocks it has. */
export const fewestBlocks = 8

/** As many as leave room for the rest of a row in its page. */
const places = 3_840

/** The number of bits of a gram, which is below 65,536, by the place that it has. */
export const placeOf = (gram: number): number => (gram * places) >>> 16

/** The bits of a group while it is made. */
const cells = new Uint16Array(places)

/** Begins a group. */
export const clearCells = (): void => {
  cells.fill(0)
}

/** `bit`: that of the block in its group. */
export const markCell = (gram: number, bit: number): void => {
  cells[placeOf(gram)]! |= bit
}

/** The group that was begun last, in base64: two bytes for each place, the lower one first. */
export const markedCells = (): string => Buffer.from(cells.buffer).toString("base64")

/** How many blocks each group of so many has; those in none are not counted. */
export const groupSizes = (blocks: number): ReadonlyArray<number> => {
  if (blocks < fewestBlocks) return []
  const groups = Math.ceil(blocks / groupBlocks)
  return Array.from(
    { length: groups },
    (_, n) => Math.floor(((n + 1) * blocks) / groups) - Math.floor((n * blocks) / groups)
  )
}
