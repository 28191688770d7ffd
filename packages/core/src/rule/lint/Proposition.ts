/** Statements about variables of few values: what conditions become when they are compared with each other. */

/** A variable has one of these values; the bits are their numbers. */
export interface Among {
  readonly tag: "among"
  readonly variable: number
  readonly values: bigint
  /** All values of the variable. */
  readonly all: bigint
}

export type Proposition =
  | Among
  | { readonly tag: "all"; readonly parts: ReadonlyArray<Proposition> }
  | { readonly tag: "any"; readonly parts: ReadonlyArray<Proposition> }

export const allOf = (parts: ReadonlyArray<Proposition>): Proposition =>
  parts.length === 1 ? parts[0]! : { tag: "all", parts }
export const anyOf = (parts: ReadonlyArray<Proposition>): Proposition =>
  parts.length === 1 ? parts[0]! : { tag: "any", parts }

export const truth = allOf([])
export const falsity = anyOf([])

export const negate = (proposition: Proposition): Proposition => {
  switch (proposition.tag) {
    case "among":
      return { ...proposition, values: proposition.all ^ proposition.values }
    case "all":
      return anyOf(proposition.parts.map(negate))
    case "any":
      return allOf(proposition.parts.map(negate))
  }
}

/** What is left of the values of variables; those that are left out may have any. */
export type Model = ReadonlyMap<number, bigint>

/** The first value that is left for each variable. */
export const lowest = (model: Model): Model =>
  new Map(Array.from(model, ([variable, values]) => [variable, values & -values]))

/** The last value that is left for each variable. */
export const highest = (model: Model): Model =>
  new Map(Array.from(model, ([variable, values]) => [variable, 1n << BigInt(values.toString(2).length - 1)]))

/** Whether it is true when each variable has its one value, or its first one where it has none. */
export const isTrueIn = (proposition: Proposition, model: Model): boolean => {
  switch (proposition.tag) {
    case "among":
      return ((model.get(proposition.variable) ?? 1n) & proposition.values) !== 0n
    case "all":
      return proposition.parts.every((part) => isTrueIn(part, model))
    case "any":
      return proposition.parts.some((part) => isTrueIn(part, model))
  }
}
