/** What the tests of files in parts share: small random choices with a seed, and files that are cut anywhere. */
import { randomFrom } from "./reading.ts"

/** Integers from 0 to below `n`. */
export type Random = (n: number) => number

export const integersFrom = (seed: number): Random => {
  const next = randomFrom(seed)
  return (n) => Math.floor(next() * n)
}

export const pick = <A>(random: Random, values: ReadonlyArray<A>): A => values[random(values.length)]!

export const list = <A>(count: number, make: (n: number) => A): ReadonlyArray<A> =>
  Array.from({ length: count }, (_, n) => make(n))

/** Parts of a few bytes or of many, some of them empty. */
export const cut = (bytes: Uint8Array, random: Random): ReadonlyArray<Uint8Array> => {
  const longest = pick(random, [1, 3, 20, 400, 5_000, 100_000])
  const parts: Array<Uint8Array> = []
  for (let from = 0; from < bytes.length;) {
    const to = Math.min(bytes.length, from + random(longest + 1))
    // A part stands in memory of its own, as what a stream gives.
    parts.push(bytes.slice(from, to))
    from = to
  }
  return parts
}
