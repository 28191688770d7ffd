/**
 * Who was paid, in the order of enrichments C3: what people said, what the provider said, merchants that Millrace knows, the
 * nearest name, a model, and at last the text itself.
 */
import { knownKeys, knownMerchant } from "../../../merchant/KnownMerchants.ts"
import { editDistance } from "../../../merchant/EditDistance.ts"
import { NameIndex } from "../../../merchant/NameIndex.ts"
import { wordsOf } from "../../../text/Similarity.ts"
import { merchantKey, textKey as textKeyOf } from "../../../text/TextKey.ts"
import { titleCase } from "../../../text/TitleCase.ts"

/** How a name was found. */
export type Step = "alias" | "provider" | "dictionary" | "nearest" | "model" | "derived" | "person"

export interface Resolved {
  readonly name: string
  readonly step: Step
  /** Which key it was found by, or how alike it is. */
  readonly by: string
}

/** What people decided. */
export interface PeoplesNames {
  /** Text key, or merchant key -> name. */
  readonly aliases: ReadonlyMap<string, string>
  /** Merchant key of a name -> the name it was merged into. */
  readonly merges: ReadonlyMap<string, string>
}

export const noNames: PeoplesNames = { aliases: new Map(), merges: new Map() }

let shippedIndex: NameIndex | undefined

const word = /[\p{L}\p{N}]+/gu
/** Letters of a word that have to be in the text. */
const longWord = 3
const headLetters = 4

/** Whether each longer word of the answer is one of the text: the beginning of one, or one letter beside it. */
export const isExtractive = (answer: string, text: string): boolean => {
  const tokens = textKeyOf(text).split(" ")
  const words = textKeyOf(answer).match(word) ?? []
  return (
    words.length > 0 &&
    words.every(
      (one) =>
        one.length < longWord ||
        tokens.some(
          (token) =>
            token === one ||
            (one.length >= headLetters && token.startsWith(one)) ||
            (token.length >= headLetters && one.startsWith(token)) ||
            (one.length >= headLetters && editDistance(token, one, 1) <= 1)
        )
    )
  )
}

/** Digits that part one door of a shop from the next; a name that begins with them keeps them. */
const doorNumber = /^\d+$/u

/** The key that names a merchant about which nothing else is known. */
const ownKey = (textKey: string): string =>
  merchantKey(
    textKey
      .split(" ")
      .filter((one, at) => at === 0 || !doorNumber.test(one))
      .join(" ")
  )

export class MerchantResolver {
  private readonly names: PeoplesNames
  private readonly confirmed: NameIndex | undefined
  private readonly known = new Map<string, Resolved | undefined>()

  constructor(names: PeoplesNames) {
    this.names = names
    const own = [...names.aliases].map(([key, name]) => [key, name] as const)
    this.confirmed = own.length === 0 ? undefined : new NameIndex(own)
    shippedIndex ??= new NameIndex(knownKeys)
  }

  /** What is said without a model; `undefined` where only a model or the text itself is left. */
  resolve(textKey: string, providerName: string): Resolved | undefined {
    const found = this.byText(textKey, providerName)
    return found === undefined ? undefined : this.merged(found)
  }

  /** A model's name, which is used where nothing above says anything. */
  byModel(name: string): Resolved {
    return this.merged({ name: this.canonical(name) ?? name, step: "model", by: "model" })
  }

  derived(textKey: string): Resolved | undefined {
    const key = ownKey(textKey)
    return key === "" ? undefined : this.merged({ name: titleCase(key), step: "derived", by: key })
  }

  /** The name that this one is written as, where it is known. */
  canonical(name: string): string | undefined {
    const key = textKeyOf(name)
    return this.names.aliases.get(key) ?? knownMerchant(key)?.name
  }

  private merged(found: Resolved): Resolved {
    // Chains of merges end: each name is followed once.
    const seen = new Set<string>()
    let { name } = found
    for (;;) {
      const key = merchantKey(textKeyOf(name))
      const into = this.names.merges.get(key)
      if (into === undefined || seen.has(key)) break
      seen.add(key)
      name = into
    }
    return name === found.name ? found : { ...found, name }
  }

  private byText(textKey: string, providerName: string): Resolved | undefined {
    const { aliases } = this.names
    const key = ownKey(textKey)
    const alias = aliases.get(textKey) ?? (key === "" ? undefined : aliases.get(key))
    if (alias !== undefined) return { name: alias, step: "alias", by: textKey }
    if (isName(providerName) && (textKey === "" || sharesWord(textKeyOf(providerName), textKey))) {
      return { name: this.canonical(providerName) ?? providerName, step: "provider", by: providerName }
    }
    if (key === "") return undefined
    if (this.known.has(textKey)) return this.known.get(textKey)
    const found = this.byNames(textKey, key)
    this.known.set(textKey, found)
    return found
  }

  private byNames(textKey: string, key: string): Resolved | undefined {
    const known = knownMerchant(textKey) ?? knownMerchant(key)
    if (known !== undefined) return { name: known.name, step: "dictionary", by: textKey }
    const near = [this.confirmed?.nearest(key), shippedIndex!.nearest(key)]
      .filter((one) => one !== undefined)
      .toSorted((a, b) => b.score - a.score)[0]
    return near === undefined
      ? undefined
      : { name: near.owner, step: "nearest", by: String(Math.round(near.score * 1_000) / 1_000) }
  }
}

const isName = (name: string): boolean => (name.match(/\p{L}/gu)?.length ?? 0) >= longWord

const sharesWord = (a: string, b: string): boolean => {
  const words = wordsOf(a)
  for (const one of wordsOf(b)) if (words.has(one)) return true
  return false
}
