/** Field 86, what the bank says of a movement: in numbered parts (`?20...`), in words (`/REMI/...`), or freely. */
import { meaningfulReference } from "./Mt940Entry.ts"
import { joinDistinct, tidy } from "./Wording.ts"

export interface MtDetails {
  /** Business transaction code of three digits, `""` without one. */
  readonly code: string
  /** What the bank calls the kind of movement. */
  readonly posting: string
  /** Who the other side is. */
  readonly name: string
  /** What the payment is for. */
  readonly purpose: string
  /** The reference that goes from end to end. */
  readonly reference: string
}

/** Subfields are cut off at so many characters: a full one goes on in the next. */
const fullPart = 27
/** Lines are. */
const fullLine = 65

const numbered = /^(\d{3})?([?>~^<!])(\d{2})/

/** Text that was cut at a full line goes on without a blank. */
const joinLines = (lines: ReadonlyArray<string>): string => {
  let text = ""
  let before = 0
  for (const line of lines) {
    text += text === "" || before >= fullLine ? line : ` ${line}`
    before = line.length
  }
  return text
}

interface Part {
  readonly number: number
  readonly text: string
}

const partsOf = (text: string, mark: string): ReadonlyArray<Part> => {
  const parts: Array<Part> = []
  let at = text.indexOf(mark)
  while (at >= 0 && at + 3 <= text.length) {
    const digits = text.slice(at + 1, at + 3)
    let next = text.indexOf(mark, at + 1)
    // A mark without two digits behind it is text.
    while (next >= 0 && !/^\d\d$/.test(text.slice(next + 1, next + 3))) next = text.indexOf(mark, next + 1)
    parts.push({ number: Number(digits), text: text.slice(at + 3, next < 0 ? text.length : next) })
    at = next
  }
  return parts
}

const joinParts = (parts: ReadonlyArray<Part>): string => {
  let text = ""
  let before = fullPart
  for (const part of parts) {
    text += text !== "" && before < fullPart && !text.endsWith(" ") ? ` ${part.text}` : part.text
    before = part.text.length
  }
  return text.trim()
}

/** Keys of SEPA inside of the purpose (annex 3 of the DFÜ agreement). */
const sepaKeys = /(EREF|KREF|MREF|CRED|DEBT|COAM|OAMT|SVWZ|ABWA|ABWE|IBAN|PURP|BIC|RREF|ANAM)\+|MTLG:/g

const sepaValues = (text: string): ReadonlyMap<string, string> => {
  const values = new Map<string, string>()
  let key = ""
  let from = 0
  const keep = (to: number) => {
    const value = text.slice(from, to).trim()
    if (value !== "" && !values.has(key)) values.set(key, value)
  }
  for (const found of text.matchAll(sepaKeys)) {
    keep(found.index)
    // What the bank itself has to say.
    key = found[1] ?? "MTLG"
    from = found.index + found[0].length
  }
  keep(text.length)
  return values
}

const numberedDetails = (code: string, text: string, mark: string): MtDetails => {
  const parts = partsOf(text, mark)
  const of = (...ranges: ReadonlyArray<readonly [from: number, to: number]>) =>
    joinParts(parts.filter(({ number }) => ranges.some(([from, to]) => number >= from && number <= to)))
  const values = sepaValues(of([20, 29], [60, 63]))
  const free = joinDistinct(values.get("") ?? "", values.get("MTLG") ?? "")
  return {
    code,
    posting: tidy(of([0, 0])),
    name: tidy(of([32, 33])),
    purpose: tidy(values.has("SVWZ") ? joinDistinct(values.get("SVWZ")!, free) : free),
    reference: meaningfulReference(values.get("EREF") ?? values.get("KREF") ?? "")
  }
}

/** Code words between slashes, as banks in the Netherlands write them; names of other banks stand behind. */
const slashed =
  /\/(EREF|MARF|CSID|CNTP|REMI|NAME|IBAN|BIC|TRTP|ISDT|PURP|ULTC|ULTD|TRCD|PREF|RTRN|BENM|ORDP|ADDR|SVCL)\//g

const slashedDetails = (text: string): MtDetails | undefined => {
  const values = new Map<string, string>()
  let key = ""
  let from = 0
  // A slash more ends what is written between two.
  const value = (to: number): string => {
    let end = to
    while (end > from && text.charCodeAt(end - 1) === 47) end--
    return text.slice(from, end).trim()
  }
  for (const found of text.matchAll(slashed)) {
    if (key !== "" && !values.has(key)) values.set(key, value(found.index))
    key = found[1]!
    from = found.index + found[0].length
  }
  if (key === "") return undefined
  if (!values.has(key)) values.set(key, value(text.length))
  const counterparty = values.get("CNTP")?.split("/")
  const remittance = (values.get("REMI") ?? "").replace(/^(?:USTD|STRD)\/{1,2}/, "")
  return {
    code: "",
    posting: tidy(values.get("TRTP") ?? ""),
    // Account, bank, name, city.
    name: tidy(values.get("NAME") ?? counterparty?.[2] ?? ""),
    purpose: tidy(remittance),
    reference: meaningfulReference(values.get("EREF") ?? "")
  }
}

const nothing: MtDetails = { code: "", posting: "", name: "", purpose: "", reference: "" }

/** `lines` are those of the field, the first without its tag. */
export const mtDetails = (lines: ReadonlyArray<string>): MtDetails => {
  const joined = lines.map((line) => line.trimEnd()).join("")
  if (joined.trim() === "") return nothing
  const found = numbered.exec(joined)
  if (found !== null) {
    // The blank that ends a full line belongs to the text.
    return numberedDetails(found[1] ?? "", lines.join(""), found[2]!)
  }
  const text = joinLines(lines)
  const words = slashedDetails(text) ?? slashedDetails(joined)
  if (words !== undefined) return words
  if (/^\d{3}$/.test(joined)) return { ...nothing, code: joined }
  return {
    ...nothing,
    purpose: tidy(text)
      .trim()
      .replace(/\s{2,}/g, " ")
  }
}
