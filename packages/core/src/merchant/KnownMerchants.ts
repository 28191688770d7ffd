/** Merchants by the texts of their payments: those that Millrace ships with. */
import { merchantKey } from "../text/TextKey.ts"
import { everydayWords, type Merchant, merchants } from "./MerchantCatalogue.ts"

/** Words of a text that may be a name in front of something else. */
const longestName = 5
/** Letters from which a single word stands for a merchant although other words follow. */
const clearWord = 4

const exact = new Map<string, Merchant>()
const leading = new Map<string, Merchant>()
for (const merchant of merchants) {
  for (const key of merchant.keys) {
    if (!exact.has(key)) exact.set(key, merchant)
    const isClear = key.includes(" ") || (key.length >= clearWord && !merchant.isWord && !everydayWords.has(key))
    if (isClear && !leading.has(key)) leading.set(key, merchant)
  }
}

/** The merchant of a text key: all of it, without the form of the company, or its first words. */
export const knownMerchant = (textKey: string): Merchant | undefined => {
  const whole = exact.get(textKey) ?? exact.get(merchantKey(textKey))
  if (whole !== undefined) return whole
  const words = textKey.split(" ")
  for (let size = Math.min(longestName, words.length - 1); size > 0; size--) {
    const found = leading.get(words.slice(0, size).join(" "))
    if (found !== undefined) return found
  }
  return undefined
}

/** Every key with the name of its merchant: what names are compared with. */
export const knownKeys: ReadonlyArray<readonly [key: string, name: string]> = Array.from(exact, ([key, { name }]) => [
  key,
  name
])
