/** Texts of payments as banks show them: a merchant, and what stands around it. */
import type { Seeded } from "@millrace/testing/model"

const prefixes = ["", "", "", "SQ *", "POS DEBIT ", "PAYPAL *", "KARTENZAHLUNG ", "CARD PAYMENT TO ", "SUMUP  *", "CB "]
const places = ["PORTLAND OR", "LONDON GB", "PARIS FR", "BERLIN DE", "MADRID ES", "SEATTLE WA", "AUSTIN TX"]

const digits = (random: Seeded, count: number): string => Array.from({ length: count }, () => random.below(10)).join("")

const tails: ReadonlyArray<(random: Seeded) => string> = [
  () => "",
  (random) => ` ${random.pick(places)}`,
  (random) => ` #${digits(random, 3)}`,
  (random) => ` ${digits(random, 5)} ${random.pick(places)}`,
  (random) => ` STORE ${digits(random, 4)}`,
  (random) => ` 14/0${1 + random.below(9)}/2026`,
  (random) => ` REF ${digits(random, 4)}XK${digits(random, 3)}`
]

/** One showing of a merchant. */
export const descriptorOf = (random: Seeded, name: string): string =>
  `${random.pick(prefixes)}${name.toUpperCase()}${random.pick(tails)(random)}`

/** The name with one letter left out, doubled or replaced, behind its first three. */
export const misspelt = (random: Seeded, name: string): string => {
  const at = 3 + random.below(Math.max(1, name.length - 3))
  const kind = random.below(3)
  if (kind === 0) return name.slice(0, at) + name.slice(at + 1)
  if (kind === 1) return name.slice(0, at) + name.slice(at - 1, at) + name.slice(at)
  return `${name.slice(0, at)}x${name.slice(at + 1)}`
}

const heads = "zor vex quil bram thol kesh dry plo wem gris nol ulf yar hux jov".split(" ")
const middles = "ba do fi gu mo le ra ti vo su".split(" ")
const ends = "blax mund wick thorn pell grave quist dorf zant vale".split(" ")

/** A word that names nothing yet. */
export const newWord = (random: Seeded): string => random.pick(heads) + random.pick(middles) + random.pick(ends)

/** Names of two words, all of them different. */
export const newNames = (random: Seeded, count: number): ReadonlyArray<string> => {
  const names = new Set<string>()
  while (names.size < count) names.add(`${newWord(random)} ${newWord(random)}`)
  return [...names]
}
