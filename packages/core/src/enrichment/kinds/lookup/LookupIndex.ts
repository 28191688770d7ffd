/** Finds the row of a table that a text names (enrichments C2). */
import type { Work } from "../../../shared/Work.ts"
import { LiteralIndex } from "../../../rule/LiteralIndex.ts"
import { fold } from "../../../text/Fold.ts"
import { merchantKey, textKey } from "../../../text/TextKey.ts"

/** How a text names a key, strongest first. */
export const matchClasses = ["exact", "normalized", "prefix", "contains"] as const
export type MatchClass = (typeof matchClasses)[number]

export const normalizers = ["text", "merchant", "digits", "none"] as const
export type Normalizer = (typeof normalizers)[number]

export interface LookupRow {
  readonly id: string
  readonly key: string
  /** Values that further fields of the record must have. */
  readonly also: ReadonlyArray<string>
  /** Smaller ones count more. */
  readonly priority: number
}

export interface LookupOptions {
  readonly classes: ReadonlyArray<MatchClass>
  readonly normalizer: Normalizer
  readonly wholeWords: boolean
}

export interface LookupHit {
  /** Place of the row. */
  readonly row: number
  readonly by: MatchClass
  /** Rows that were found in the same way. */
  readonly found: number
}

/** Units of work for each character of a text that is folded, or normalized. */
const foldedWork = 4
const normalizedWork = 30

/** Code points that a key must have to be looked for at the beginning of a text, and anywhere in it. */
const shortest = { prefix: 3, contains: 4 } as const

const digitsOf = (text: string): string => text.replace(/\P{Nd}+/gu, "")

/** What is compared of a text; `""` is compared with nothing. */
export const normalized = (text: string, normalizer: Normalizer): string => {
  switch (normalizer) {
    case "text":
      return textKey(text)
    case "merchant":
      return merchantKey(textKey(text))
    case "digits":
      return digitsOf(text)
    case "none":
      return ""
  }
}

export const folded = (text: string): string => fold(text).trim()

const lengthOf = (text: string): number => [...text].length

const isWordCharacter = (text: string, at: number): boolean =>
  /[\p{L}\p{N}\p{M}]/u.test(text.slice(at, at + 2)[0] ?? "")

/** Whether a word begins and ends where the piece does. */
const isWhole = (text: string, from: number, to: number): boolean =>
  !(from > 0 && isWordCharacter(text, from - 1) && isWordCharacter(text, from)) &&
  !(to < text.length && isWordCharacter(text, to - 1) && isWordCharacter(text, to))

/** Whether the folded key is at the beginning of the folded text, or anywhere in it. */
export const stands = (text: string, key: string, by: "prefix" | "contains", wholeWords: boolean): boolean => {
  if (by === "prefix") return text.startsWith(key) && (!wholeWords || isWhole(text, 0, key.length))
  for (let at = text.indexOf(key); at >= 0; at = text.indexOf(key, at + 1)) {
    if (!wholeWords || isWhole(text, at, at + key.length)) return true
  }
  return false
}

export const isLongEnough = (key: string, by: "prefix" | "contains"): boolean => lengthOf(key) >= shortest[by]

const add = <K>(map: Map<K, Array<number>>, key: K, row: number): void => {
  const rows = map.get(key)
  if (rows === undefined) map.set(key, [row])
  else rows.push(row)
}

const none: ReadonlyArray<number> = []

export class LookupIndex {
  private readonly rows: ReadonlyArray<LookupRow>
  private readonly options: LookupOptions
  private readonly keys: ReadonlyArray<string>
  private readonly exact = new Map<string, Array<number>>()
  private readonly normal = new Map<string, Array<number>>()
  private readonly prefixes = new Map<string, Array<number>>()
  /** Lengths of the keys in `prefixes`. */
  private readonly lengths: ReadonlyArray<number>
  private readonly anywhere: LiteralIndex | undefined

  constructor(rows: ReadonlyArray<LookupRow>, options: LookupOptions) {
    this.rows = rows
    this.options = options
    this.keys = rows.map(({ key }) => folded(key))
    const { classes, normalizer } = options
    for (const [row, key] of this.keys.entries()) {
      if (key === "") continue
      add(this.exact, key, row)
      const plain = normalized(rows[row]!.key, normalizer)
      if (plain !== "") add(this.normal, plain, row)
      if (isLongEnough(key, "prefix")) add(this.prefixes, key, row)
    }
    this.lengths = [...new Set([...this.prefixes.keys()].map(({ length }) => length))]
    const literals = this.keys.flatMap((text, rule) =>
      isLongEnough(text, "contains") ? [{ text, rule, place: "anywhere" as const }] : []
    )
    this.anywhere = classes.includes("contains") && literals.length > 0 ? new LiteralIndex(literals) : undefined
  }

  /** The row for a text, among those whose further values are these; classes are tried in order. */
  find(text: string, also: ReadonlyArray<string>, work: Work): LookupHit | undefined {
    work.spend(foldedWork * text.length)
    const plain = folded(text)
    if (plain === "") return undefined
    for (const by of this.options.classes) {
      const found = this.candidates(by, text, plain, work).filter((row) => {
        work.spend(1 + also.length)
        return this.rows[row]!.also.every((value, n) => value === also[n])
      })
      if (found.length === 0) continue
      const best = found.reduce((one, other) => (this.isBefore(other, one) ? other : one))
      return { row: best, by, found: found.length }
    }
    return undefined
  }

  private candidates(by: MatchClass, text: string, plain: string, work: Work): ReadonlyArray<number> {
    switch (by) {
      case "exact":
        return this.exact.get(plain) ?? none
      case "normalized": {
        work.spend(normalizedWork * text.length)
        const key = normalized(text, this.options.normalizer)
        return key === "" ? none : (this.normal.get(key) ?? none)
      }
      case "prefix":
        return this.lengths.flatMap((length) => {
          work.spend(length)
          const rows = length > plain.length ? undefined : this.prefixes.get(plain.slice(0, length))
          return rows === undefined || (this.options.wholeWords && !isWhole(plain, 0, length)) ? none : rows
        })
      case "contains": {
        const rows = new Set<number>()
        this.anywhere?.scan(plain, { mark: (row) => rows.add(row) }, work)
        return [...rows].filter((row) => {
          work.spend(plain.length)
          return stands(plain, this.keys[row]!, by, this.options.wholeWords)
        })
      }
    }
  }

  /** Smaller priority, then the longer key, then the earlier row. */
  private isBefore(a: number, b: number): boolean {
    const [one, other] = [this.rows[a]!, this.rows[b]!]
    if (one.priority !== other.priority) return one.priority < other.priority
    const longer = this.keys[a]!.length - this.keys[b]!.length
    return longer === 0 ? a < b : longer > 0
  }
}
