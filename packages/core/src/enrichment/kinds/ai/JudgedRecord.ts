/** What models and the local classifier are shown of a record (enrichments D6.2, D6.6). */
import { knownMerchant } from "../../../merchant/KnownMerchants.ts"
import type { DataType } from "../../../record/DataType.ts"
import type { Fields } from "../../../record/FieldValue.ts"
import { amountBand, type Features } from "../../../model/Features.ts"
import { remembered } from "../../../text/Remembered.ts"
import { readingOf, readText, type TextReading } from "../../../text/TextKey.ts"

/** What has another side that is paid, or pays. */
export const judgedTypes: ReadonlyArray<DataType> = ["transactions", "receipts", "invoices"]

const textOf = (value: Fields[string] | undefined): string => (typeof value === "string" ? value : "")

/** Words in front of the number of a shop; the number is another at each of its doors. */
const shopNumber = /(?:#|\b(?:store|unit|filiale|fil|no|nr|str)\.?)\s?\d{1,6}\b(?![/.:-]\d)/giu

/** The text that names the other side, as the bank sent it where that is known. */
export const partyText = (fields: Fields): string =>
  textOf(fields["originalDescription"]) || textOf(fields["description"])

export const readParty = remembered((text: string): TextReading => {
  const reading = readingOf(text.replace(shopNumber, " "))
  const { processor, textKey } = reading
  // Behind a market place that is the merchant itself there is at most a country.
  const isLeft = textKey.split(" ").some((word) => word.length > 2) || knownMerchant(textKey) !== undefined
  return isLeft || knownMerchant(processor) === undefined ? reading : { ...reading, textKey: processor }
})

/** An amount of money that is not 0, whatever the field of the data type is called. */
export const amountOf = (fields: Fields): string | undefined => {
  const value = textOf(fields["amount"]) || textOf(fields["totalAmount"])
  return value === "" ? undefined : value
}

/** Documents come from their senders. */
export const isUntrusted = (fields: Fields): boolean => textOf(fields["sender"]) !== ""

/** The first digits of the masked number and the like are not among them. */
export const featuresOfRecord = (fields: Fields, providerCategory: string | undefined): Features => {
  const amount = amountOf(fields)
  const name = readText(textOf(fields["merchantName"])).textKey
  const mcc = textOf(fields["mcc"])
  const accountType = textOf(fields["accountType"])
  // Documents are paid: their amounts have no sign.
  const isDocument = fields["totalAmount"] !== undefined
  return {
    textKey: name === "" ? readParty(partyText(fields)).textKey : name,
    sign: amount === undefined ? "none" : isDocument || amount.startsWith("-") ? "out" : "in",
    ...(mcc === "" ? {} : { mcc }),
    ...(providerCategory === undefined ? {} : { providerCategory }),
    ...(accountType === "" ? {} : { accountType }),
    ...(amount === undefined ? {} : { amount })
  }
}

/** What a model is asked about: all that its answer may follow from. */
export const questionOf = ({ accountType, amount, mcc, sign, textKey }: Features) => ({
  text: [...textKey].slice(0, 200).join(""),
  direction: sign,
  merchantCategoryCode: mcc ?? null,
  account: accountType ?? null,
  amountBand: amountBand(amount) ?? null
})

const initial = /^\p{L}$/u
const titles: ReadonlySet<string> = new Set(
  "mr mrs ms miss dr herr frau mme mlle monsieur madame sr sra signor signora".split(" ")
)
const directions: ReadonlySet<string> = new Set("to from an von para por pour a da di til till fra aan van".split(" "))
const personalWallets: ReadonlySet<string> = new Set(
  "venmo,zelle,cash app,swish,bizum,twint,mobilepay,vipps,wero,blik,paylib,lydia,mb way,revolut pay".split(",")
)

/** The name of a private person in a text, such as `to J Smith`; `undefined` where the other side may be anybody else. */
export const personIn = ({ processor, textKey }: TextReading): string | undefined => {
  const all = textKey.split(" ").filter((word) => word !== "")
  const isDirected = directions.has(all[0] ?? "")
  const words = isDirected ? all.slice(1) : all
  if (words.length < 2 || words.length > 4 || !words.every((word) => /^[\p{L}']+$/u.test(word))) return undefined
  const isPersonal = words.some((word) => initial.test(word)) || titles.has(words[0]!)
  return (isDirected && isPersonal) ||
    (personalWallets.has(processor) && (isDirected || isPersonal || words.length === 2))
    ? words.join(" ")
    : undefined
}
