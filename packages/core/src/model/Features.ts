/** What the local classifier sees of a record (enrichments D6.2). */

export interface Features {
  /** Words that name the other side, as `readText` leaves them. */
  readonly textKey: string
  readonly sign: "in" | "out" | "none"
  readonly mcc?: string | undefined
  readonly providerCategory?: string | undefined
  readonly accountType?: string | undefined
  /** In the currency of the record; its size counts and nothing else of it. */
  readonly amount?: string | undefined
}

/**
 * Weights in sixtieths: sums of them are whole numbers, so that what was learned can be taken back to the last bit. A gram of n
 * characters weighs 1/n.
 */
const unit = 60
const weights = { token: 2 * unit, single: unit, band: unit / 2 } as const
const gramSizes = [3, 4, 5] as const

/** Letters and tokens that are looked at; what is behind them says nothing new. */
const longestToken = 24
const mostTokens = 16
/** Shorter words are countries and forms of companies: they tell nothing. */
const tellingLetters = 3

/** Bands of the amount, each twice the one before: `floor(log2 |amount|)`. */
export const amountBand = (amount: string | undefined): number | undefined => {
  const size = Math.abs(Number(amount ?? ""))
  return Number.isFinite(size) && size > 0 ? Math.floor(Math.log2(size)) : undefined
}

export interface Feature {
  readonly name: string
  /** In sixtieths. */
  readonly weight: number
  /** Whether it says by itself that something like the record was seen: a whole word, a code. */
  readonly tells: boolean
}

/** The features of a record; a feature may be there several times. */
export const featuresOf = ({ accountType, amount, mcc, providerCategory, sign, textKey }: Features): Array<Feature> => {
  const found: Array<Feature> = []
  const single = (name: string, value: string | undefined, tells: boolean) => {
    if (value !== undefined && value !== "") found.push({ name: `${name}:${value}`, weight: weights.single, tells })
  }
  let seen = 0
  for (const token of textKey.split(" ")) {
    if (token === "" || seen++ === mostTokens) continue
    const short = token.slice(0, longestToken)
    found.push({ name: `t:${short}`, weight: weights.token, tells: short.length >= tellingLetters })
    const marked = `^${short}$`
    for (const size of gramSizes) {
      for (let at = 0; at + size <= marked.length; at++) {
        found.push({ name: `g:${marked.slice(at, at + size)}`, weight: unit / size, tells: false })
      }
    }
  }
  if (sign !== "none") single("sign", sign, false)
  single("mcc", mcc, true)
  single("category", providerCategory, true)
  single("account", accountType, false)
  const band = amountBand(amount)
  if (band !== undefined) found.push({ name: `band:${band}`, weight: weights.band, tells: false })
  return found
}

/** The weight of a feature as a number: 1 for a code, 2 for a word. */
export const weightOf = ({ weight }: Feature): number => weight / unit
