/** Whether propositions can be true together. */
import { negate, type Model, type Proposition } from "./Proposition.ts"

/** How much work may still be done; counted, so that the answer does not depend on the machine. */
export class Effort {
  private left: number
  private readonly whole: Effort | undefined

  /** A share of a greater whole is used up with it. */
  constructor(left: number, whole?: Effort) {
    this.left = left
    this.whole = whole
  }

  /** Whether there was so much left. */
  spend(amount: number): boolean {
    this.left -= amount
    return this.left >= 0 && (this.whole === undefined || this.whole.spend(amount))
  }
}

/** `none`: they contradict each other. `undecided`: it would take too much effort to find out. */
export type Found = Model | "none" | "undecided"

type Choice = ReadonlyArray<Proposition>

/** Looks at what must be true first, and tries the shortest choice when nothing else is left. */
const search = (
  known: Map<number, bigint>,
  given: ReadonlyArray<Proposition>,
  limits: ReadonlyMap<number, bigint>,
  effort: Effort
): Found => {
  const open = [...given]
  let choices: Array<Choice> = []
  const valuesOf = (variable: number, all: bigint): bigint => known.get(variable) ?? limits.get(variable) ?? all
  while (open.length > 0) {
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (!effort.spend(1)) return "undecided"
      if (next.tag === "all") for (const part of next.parts) open.push(part)
      else if (next.tag === "any") choices.push(next.parts)
      else {
        const values = valuesOf(next.variable, next.all) & next.values
        if (values === 0n) return "none"
        known.set(next.variable, values)
      }
    }
    const unsettled: Array<Choice> = []
    for (const choice of choices) {
      if (!effort.spend(choice.length)) return "undecided"
      const left: Array<Proposition> = []
      let isSettled = false
      for (const part of choice) {
        const values = part.tag === "among" ? valuesOf(part.variable, part.all) : 0n
        if (part.tag !== "among" || (values & part.values) !== 0n) left.push(part)
        if (part.tag === "among" && (values & part.values) === values) isSettled = true
      }
      if (isSettled) continue
      if (left.length === 0) return "none"
      if (left.length === 1) open.push(left[0]!)
      else unsettled.push(left)
    }
    choices = unsettled
  }
  if (choices.length === 0) return known
  const shortest = choices.reduce((best, choice) => (choice.length < best.length ? choice : best))
  const others = choices.flatMap((parts): Choice => (parts === shortest ? [] : [{ tag: "any", parts }]))
  const refused: Array<Proposition> = []
  for (const part of shortest) {
    if (!effort.spend(known.size + others.length)) return "undecided"
    const found = search(new Map(known), [part, ...refused, ...others], limits, effort)
    if (found !== "none") return found
    // What could not be is not tried again under the next one.
    if (part.tag === "among") refused.push(negate(part))
  }
  return "none"
}

/** Makes all of them true, each variable within its limits: any of the values that are left for it does. */
export const findModel = (
  given: ReadonlyArray<Proposition>,
  limits: ReadonlyMap<number, bigint>,
  effort: Effort
): Found => search(new Map(), given, limits, effort)
