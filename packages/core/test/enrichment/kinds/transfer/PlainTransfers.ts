/**
 * Transfers as the specification states them (enrichments D2), over a whole ledger at once: a map of amounts, a window of days,
 * every candidate scored, and each component of candidates assigned one to one at the highest sum. It knows neither months nor
 * what was there before, and shares nothing but types with what it is held against. Nothing is learnt of decisions.
 */
import type { TransferConfig } from "../../../../src/enrichment/kinds/transfer/TransferConfig.ts"
import { listIn, type PlainLedger, type PlainPair, plainPairs } from "./PlainPairs.ts"

interface PlainLink extends PlainPair {
  readonly margin: number
  /** In ten-thousandths. */
  readonly confidence: number
  readonly state: "auto" | "suggested"
}

/** Pairs that share records, apart from those that are five bits worse than the best of both of their records. */
export const plainComponents = (pairs: ReadonlyArray<PlainPair>): ReadonlyArray<ReadonlyArray<PlainPair>> => {
  const best = new Map<string, number>()
  for (const pair of pairs) {
    for (const id of [pair.out, pair.in]) best.set(id, Math.max(best.get(id) ?? pair.score, pair.score))
  }
  const kept = pairs.filter((pair) => pair.score >= Math.min(best.get(pair.out)!, best.get(pair.in)!) - 500)
  const of = new Map<string, Array<PlainPair>>()
  for (const pair of kept) for (const id of [pair.out, pair.in]) listIn(of, id).push(pair)
  const found: Array<ReadonlyArray<PlainPair>> = []
  const seen = new Set<PlainPair>()
  for (const first of kept) {
    if (seen.has(first)) continue
    seen.add(first)
    const component = [first]
    for (const pair of component) {
      for (const id of [pair.out, pair.in]) {
        for (const next of of.get(id)!) {
          if (seen.has(next)) continue
          seen.add(next)
          component.push(next)
        }
      }
    }
    found.push(component)
  }
  return found
}

/** One to one with the highest sum, by augmenting paths of the highest gain. */
export const plainAssignment = (pairs: ReadonlyArray<PlainPair>): ReadonlyArray<PlainPair> => {
  if (pairs.length <= 1) return pairs
  const outs = [...new Set(pairs.map(({ out }) => out))]
  const holder = new Map<string, PlainPair>()
  for (;;) {
    // The highest gain with which each outflow and inflow is reached, by Bellman and Ford: pairs that are chosen are gone back.
    const gain = new Map<string, number>()
    const by = new Map<string, PlainPair>()
    const chosen = new Set(holder.values())
    const taken = new Set([...chosen].map(({ out }) => out))
    for (const out of outs) if (!taken.has(out)) gain.set(`o ${out}`, 0)
    for (let changed = true; changed;) {
      changed = false
      for (const pair of pairs) {
        const [from, to, worth] = chosen.has(pair)
          ? [`i ${pair.in}`, `o ${pair.out}`, -pair.score]
          : [`o ${pair.out}`, `i ${pair.in}`, pair.score]
        const base = gain.get(from)
        if (base === undefined || base + worth <= (gain.get(to) ?? Number.NEGATIVE_INFINITY)) continue
        gain.set(to, base + worth)
        by.set(to, pair)
        changed = true
      }
    }
    // A path ends at an inflow that is free, or at an outflow that goes without.
    let [end, most] = ["", 0]
    for (const [node, value] of gain) {
      const isEnd = node.startsWith("i ") ? !holder.has(node.slice(2)) : taken.has(node.slice(2))
      if (isEnd && value > most) [end, most] = [node, value]
    }
    if (end === "") return pairs.filter((pair) => holder.get(pair.in) === pair)
    const path: Array<PlainPair> = []
    for (let node = end; by.has(node);) {
      const pair = by.get(node)!
      path.push(pair)
      node = node.startsWith("i ") ? `o ${pair.out}` : `i ${pair.in}`
    }
    for (const pair of path) if (chosen.has(pair)) holder.delete(pair.in)
    for (const pair of path) if (!chosen.has(pair)) holder.set(pair.in, pair)
  }
}

const sumOf = (pairs: ReadonlyArray<PlainPair>): number => pairs.reduce((sum, { score }) => sum + score, 0)

/** How much less there is in all without a chosen pair and those that are equal to it. */
export const plainMargin = (component: ReadonlyArray<PlainPair>, total: number, pair: PlainPair): number => {
  if (component.length === 1) return pair.score
  const without = (isBarred: (one: PlainPair) => boolean): number =>
    sumOf(plainAssignment(component.filter((one) => !isBarred(one))))
  return (
    total -
    Math.max(
      without((one) => one.out === pair.out && one.inTwin === pair.inTwin),
      without((one) => one.in === pair.in && one.outTwin === pair.outTwin)
    )
  )
}

/** What a chosen pair is worth as a link; `undefined` where it is too little. */
export const plainLink = (
  pair: PlainPair,
  margin: number,
  { autoConfidence, suggestConfidence }: TransferConfig
): PlainLink | undefined => {
  const bits = Math.min(pair.score, Math.round(1.25 * margin)) / 100
  const confidence = Math.min(9_999, Math.max(1, Math.round(10_000 / (1 + 2 ** -bits))))
  if (confidence < suggestConfidence * 10_000) return undefined
  const { provider, reference, text } = pair.parts
  const isSure = confidence >= autoConfidence * 10_000 && (text > 0 || reference > 0 || provider > 0) && !pair.mirror
  return { ...pair, margin, confidence, state: isSure ? "auto" : "suggested" }
}

/** All links. */
export const plainTransfers = (ledger: PlainLedger): ReadonlyArray<PlainLink> =>
  plainComponents(plainPairs(ledger)).flatMap((component) => {
    const chosen = plainAssignment(component)
    const total = sumOf(chosen)
    return chosen.flatMap((pair) => plainLink(pair, plainMargin(component, total, pair), ledger.config) ?? [])
  })
