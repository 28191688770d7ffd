/** What is known of a leg by its text and by what the provider makes of it, in numbers (enrichments D2.2). */
import { categories } from "../../../record/TransactionType.ts"
import type { Fields } from "../../../record/FieldValue.ts"
import { fieldText } from "./Leg.ts"
import type { LegAccount } from "./LegSpace.ts"
import type { TextSigns } from "./TextSigns.ts"

/** Signs that a text and a type have together. */
const purchaseSign = 1
const refundSign = 2
const earningSign = 4

const moving: ReadonlySet<string> = new Set(["TRANSFER_IN", "TRANSFER_OUT", "LOAN_PAYMENTS"])
const unsaid: ReadonlySet<string> = new Set(["UNCATEGORIZED", "BANK_FEES"])
const primary: ReadonlySet<string> = new Set(categories)

const bounds = { least: -600, most: 500 } as const

const clamp = (value: number): number => Math.min(bounds.most, Math.max(bounds.least, value))

/** Points of a side in centibits. */
const points = {
  transfer: 300,
  names: 300,
  namesAnother: -300,
  other: -200,
  purchase: -500,
  earning: -400,
  paidIn: 250
}

/** What stands in a record besides its text, in one number: three bits of signs, and above them one more than the hint. */
export const readSigns = (fields: Fields, read: TextSigns): number => {
  const type = fieldText(fields["type"])
  const category = fieldText(fields["category"])
  const merchant = fieldText(fields["merchantName"])
  let signs = 0
  if (
    read.purchase ||
    type === "CARD" ||
    type === "ATM" ||
    (merchant !== "" && !read.transfer && read.named.size === 0)
  ) {
    signs |= purchaseSign
  }
  if (read.refund || type === "REFUND") signs |= refundSign
  if (read.earning || type === "INTEREST" || type === "FEE") signs |= earningSign
  const isMoved =
    (category !== "" && moving.has(category)) || type === "TRANSFER_OUTGOING" || type === "TRANSFER_INCOMING"
  const denies = category !== "" && primary.has(category) && !moving.has(category) && !unsaid.has(category)
  return signs | ((isMoved ? 2 : denies ? 0 : 1) << signBits)
}

const signBits = 3

export const signsIn = (read: number): number => read & ((1 << signBits) - 1)

/** 1 where the provider calls it a transfer, -1 where it calls it something else. */
export const hintIn = (read: number): number => (read >> signBits) - 1

/** A transfer to somebody else is none of one's own, whatever it is called. */
const base = (read: TextSigns, signs: number, out: boolean, { liability }: LegAccount, foreign: boolean): number =>
  (foreign ? points.other : read.transfer ? points.transfer : 0) +
  ((signs & purchaseSign) === 0 ? 0 : points.purchase) +
  ((signs & (refundSign | earningSign)) === 0 ? 0 : points.earning) +
  (!out && liability && (signs & (purchaseSign | refundSign)) === 0 ? points.paidIn : 0)

const namesOthers = ({ named }: TextSigns, accountId: string): boolean =>
  named.size > 1 || (named.size === 1 && !named.has(accountId))

/** Whether it names nobody: then it is worth the same whoever the other side is. */
export const isPlain = ({ named, party }: TextSigns): boolean => named.size === 0 && party === ""

/** The weight by itself, whoever the other side is, in centibits. */
export const weightOf = (read: TextSigns, signs: number, out: boolean, of: LegAccount): number =>
  clamp(base(read, signs, out, of, read.party !== "") + (namesOthers(read, of.account.accountId) ? points.names : 0))

/** The weight where that account is the other side, in centibits. */
export const weightBeside = (
  read: TextSigns,
  signs: number,
  out: boolean,
  of: LegAccount,
  other: TextSigns,
  otherId: string
): number => {
  // Whom both sides name is who holds both.
  const holder = read.party !== "" && read.party === other.party
  const named =
    holder || (read.named.size > 0 && read.named.has(otherId))
      ? points.names
      : namesOthers(read, of.account.accountId)
        ? points.namesAnother
        : 0
  return clamp(base(read, signs, out, of, read.party !== "" && !holder) + named)
}
