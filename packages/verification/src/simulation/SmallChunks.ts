/** Limits that make a few rows enough to cross the borders of transactions. */
import { limits } from "@millrace/core"

/** Sets how many records one transaction writes, for everything in this process. Returns how to put it back. */
export const smallChunks = (commitChunk: number): (() => void) => {
  const sizes = limits as { commitChunk: number }
  const before = sizes.commitChunk
  sizes.commitChunk = commitChunk
  return () => {
    sizes.commitChunk = before
  }
}
