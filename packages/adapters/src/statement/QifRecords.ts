/** QIF files as records: each a list of lines that begin with a letter, up to a line with `^`. */
import type { AccountType } from "@millrace/core/provider"
import type { LineSource } from "./LineSource.ts"

/** What the records of a section are: movements, movements of a brokerage account, accounts, or nothing that is read. */
export type QifKind = "movements" | "investments" | "accounts" | "other"

export interface QifSection {
  readonly kind: QifKind
  /** As the file names it: `Bank`, `Oth L`. */
  readonly name: string
  readonly accountType: AccountType
}

export interface QifRecord {
  readonly section: QifSection
  /** Line of its first field. */
  readonly line: number
  /** The last field of each letter; those of splits stand in `splits`. */
  readonly fields: ReadonlyMap<string, QifField>
  readonly splits: ReadonlyArray<QifSplit>
}

export interface QifField {
  readonly text: string
  readonly line: number
}

export interface QifSplit {
  readonly category: string
  readonly memo: string
  readonly amount: string
  readonly line: number
}

const kinds: ReadonlyMap<string, readonly [QifKind, AccountType]> = new Map([
  ["bank", ["movements", "unknown"]],
  ["cash", ["movements", "other"]],
  ["ccard", ["movements", "credit_card"]],
  ["oth a", ["movements", "other"]],
  ["oth l", ["movements", "loan"]],
  ["invst", ["investments", "investment"]],
  ["port", ["investments", "investment"]],
  ["401(k)", ["investments", "retirement"]],
  ["401(k)/403(b)", ["investments", "retirement"]],
  ["403(b)", ["investments", "retirement"]]
])

/** Section of a kind of account that `!Type:` or the `T` of an account names. */
export const sectionOf = (name: string): QifSection => {
  const text = name.trim()
  const [kind, accountType] = kinds.get(text.toLowerCase()) ?? (["other", "unknown"] as const)
  return { kind, name: text, accountType }
}

const accounts: QifSection = { kind: "accounts", name: "Account", accountType: "unknown" }

/** Lines of one record; categories and securities have fewer. */
const maxFields = 2_000

/** The records in the order of the file. A record that the file ends in, or a new section, is over all the same. */
export function* qifRecords(source: LineSource): Generator<QifRecord> {
  // Without a header a file is one of movements.
  let section = sectionOf("Bank")
  let fields = new Map<string, QifField>()
  let splits: Array<QifSplit> = []
  let line = 0
  let count = 0
  const record = (): QifRecord | undefined => {
    const whole = count === 0 ? undefined : { section, line, fields, splits }
    fields = new Map()
    splits = []
    count = 0
    return whole
  }
  for (let raw = source.next(); raw !== undefined; raw = source.next()) {
    const text = raw.trim()
    if (text === "") continue
    const letter = text[0]!
    if (letter === "^" || letter === "!") {
      const whole = record()
      if (whole !== undefined) yield whole
      if (letter === "^") continue
      const type = /^!type\s*:\s*(.*)$/i.exec(text)
      if (type !== null) section = sectionOf(type[1]!)
      else if (/^!account\b/i.test(text)) section = accounts
      continue
    }
    if (count === 0) line = source.line
    if (++count > maxFields) continue
    const field = { text: text.slice(1).trim(), line: source.line }
    const split = splits.at(-1)
    if (letter === "S") splits.push({ category: field.text, memo: "", amount: "", line: source.line })
    else if (letter === "E" && split !== undefined) splits[splits.length - 1] = { ...split, memo: field.text }
    else if (letter === "$" && split !== undefined) splits[splits.length - 1] = { ...split, amount: field.text }
    else fields.set(letter, field)
  }
  const last = record()
  if (last !== undefined) yield last
}
