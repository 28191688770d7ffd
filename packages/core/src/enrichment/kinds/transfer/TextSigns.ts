/** What the text of a leg says about a transfer (enrichments D2.2). */
import type { SetAccount } from "../SetKind.ts"
import { type PhraseHit, plainWords } from "../../../text/Phrases.ts"
import { codesIn } from "./Leg.ts"
import {
  namedTypeOf,
  nobody,
  plainNames,
  pointing,
  type TransferWord,
  transferWords,
  typeWords
} from "./TransferWords.ts"

/** What stands in a text, for any other side. */
export interface TextSigns {
  /** It says that money is moved. */
  readonly transfer: boolean
  readonly purchase: boolean
  readonly refund: boolean
  readonly earning: boolean
  /** Own accounts that it names. */
  readonly named: ReadonlySet<string>
  /** Whom it names that is no own account: somebody else, or the holder. `""` for nobody. */
  readonly party: string
}

/** Words that tell who somebody is. */
const partyWords = 2

const none: ReadonlySet<string> = new Set()
const letters = /^\p{L}{2,}$/u
const digits = /^\d{3,}$/

const push = (map: Map<string, Set<string>>, word: string, id: string): void => {
  const ids = map.get(word)
  if (ids === undefined) map.set(word, new Set([id]))
  else ids.add(id)
}

const says = (said: ReadonlyArray<PhraseHit<TransferWord>>, word: TransferWord): boolean =>
  said.some(({ value }) => value === word)

/** Digits of a masked number that are shown, at most the last four. */
const lastDigits = (masked: string): string | undefined => /(\d{3,4})\D*$/.exec(masked)?.[1]

/** Reads texts beside the names of own accounts; each text once. */
export class TextReader {
  private readonly byWord = new Map<string, Set<string>>()
  private readonly byType = new Map<string, Set<string>>()
  private readonly known = new Map<string, TextSigns>()
  private readonly codes = new Map<string, ReadonlySet<string>>()

  constructor(accounts: Iterable<SetAccount>) {
    const all = [...accounts]
    for (const { accountId, accountName, accountNumber, accountType, bankName } of all) {
      for (const word of [...plainWords(accountName), ...plainWords(bankName)]) {
        if (word.length >= 3 && letters.test(word) && !plainNames.has(word)) push(this.byWord, word, accountId)
      }
      const last = lastDigits(accountNumber)
      if (last !== undefined) push(this.byWord, last, accountId)
      const type = namedTypeOf(accountType)
      if (type !== undefined) push(this.byType, type, accountId)
    }
    // A name that all accounts share names none of them.
    for (const [word, ids] of this.byWord) if (all.length > 1 && ids.size === all.length) this.byWord.delete(word)
  }

  /** What stands in a text. */
  read(text: string): TextSigns {
    let signs = this.known.get(text)
    if (signs === undefined) this.known.set(text, (signs = this.analysed(text)))
    return signs
  }

  /** The codes in a text, which is read once. */
  codesIn(text: string): ReadonlySet<string> {
    let codes = this.codes.get(text)
    if (codes === undefined) this.codes.set(text, (codes = codesIn(text)))
    return codes
  }

  private analysed(text: string): TextSigns {
    const words = plainWords(text)
    const said = transferWords.find(words)
    // Most texts name nothing.
    let own: Set<number> | undefined
    let named: Set<string> | undefined
    for (let at = 0; at < words.length; at++) {
      const word = words[at]!
      // Of a masked number the last digits may stand in one piece with others.
      const ids = this.byWord.get(word) ?? (digits.test(word) ? this.byWord.get(word.slice(-4)) : undefined)
      if (ids === undefined) continue
      own ??= new Set()
      own.add(at)
      named ??= new Set()
      for (const id of ids) named.add(id)
    }
    const typed = typeWords.find(words)
    for (const { at, value, words: count } of typed) {
      own ??= new Set()
      for (let n = 0; n < count; n++) own.add(at + n)
      // Where a name says which one, the type says nothing more.
      if (named !== undefined && [...named].some((id) => this.byType.get(value)?.has(id) === true)) continue
      for (const id of this.byType.get(value) ?? none) {
        named ??= new Set()
        named.add(id)
      }
    }
    let party = ""
    for (let at = 0; at < words.length; at++) {
      if (!pointing.has(words[at]!)) continue
      const next = words[at + 1]
      if (
        next === undefined ||
        own?.has(at + 1) === true ||
        nobody.has(next) ||
        pointing.has(next) ||
        !letters.test(next)
      )
        continue
      if (plainNames.has(next) && own?.has(at + 2) === true) continue
      if (party === "") party = words.slice(at + 1, at + 1 + partyWords).join(" ")
    }
    return {
      transfer: says(said, "transfer"),
      purchase: says(said, "purchase"),
      refund: says(said, "refund"),
      earning: says(said, "earning"),
      named: named ?? none,
      party: named === undefined ? party : ""
    }
  }
}
