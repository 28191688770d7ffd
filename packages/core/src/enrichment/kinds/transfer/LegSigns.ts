/** What a leg says about a transfer by its text and by what the provider makes of it (enrichments D2.2). */
import type { AccountType } from "../../../provider/AccountType.ts"
import { categories } from "../../../record/TransactionType.ts"
import type { Fields } from "../../../record/FieldValue.ts"
import { fieldText, type Leg } from "./Leg.ts"
import type { TextSigns } from "./TextSigns.ts"

/** What a text and the fields beside it say together. */
export interface RecordSigns {
  readonly purchase: boolean
  readonly refund: boolean
  readonly earning: boolean
  /** 1 where the provider calls it a transfer, -1 where it calls it something else. */
  readonly hint: -1 | 0 | 1
}

const liabilities: ReadonlySet<AccountType> = new Set(["credit_card", "line_of_credit", "loan", "mortgage"])
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

export const signsOf = (fields: Fields, read: TextSigns): RecordSigns => {
  const type = fieldText(fields["type"])
  const category = fieldText(fields["category"])
  const merchant = fieldText(fields["merchantName"])
  const isMoved =
    (category !== "" && moving.has(category)) || type === "TRANSFER_OUTGOING" || type === "TRANSFER_INCOMING"
  const denies = category !== "" && primary.has(category) && !moving.has(category) && !unsaid.has(category)
  const purchase =
    read.purchase || type === "CARD" || type === "ATM" || (merchant !== "" && !read.transfer && read.named.size === 0)
  const refund = read.refund || type === "REFUND"
  const earning = read.earning || type === "INTEREST" || type === "FEE"
  const hint = isMoved ? 1 : denies ? -1 : 0
  return purchase || refund || earning || hint !== 0 ? { purchase, refund, earning, hint } : noSigns
}

/** Most records say nothing. */
const noSigns: RecordSigns = { purchase: false, refund: false, earning: false, hint: 0 }

type Side = Pick<Leg, "accountId" | "accountType" | "out">

/** A transfer to somebody else is none between own accounts, whatever it is called. */
const base = (
  { accountType, out }: Side,
  read: TextSigns,
  { earning, purchase, refund }: RecordSigns,
  foreign: boolean
): number =>
  (foreign ? points.other : read.transfer ? points.transfer : 0) +
  (purchase ? points.purchase : 0) +
  (refund || earning ? points.earning : 0) +
  (!out && !purchase && !refund && liabilities.has(accountType) ? points.paidIn : 0)

const namesOthers = ({ named }: TextSigns, accountId: string): boolean =>
  named.size > 1 || (named.size === 1 && !named.has(accountId))

/** The weight by itself, for any other side, in centibits. */
export const weightOf = (side: Side, read: TextSigns, signs: RecordSigns): number =>
  clamp(base(side, read, signs, read.party !== "") + (namesOthers(read, side.accountId) ? points.names : 0))

type ReadSide = Side & { readonly read: TextSigns; readonly signs: RecordSigns }

/** The weight where the account of the other is the other side, in centibits. */
export const weightBeside = (side: ReadSide, other: ReadSide): number => {
  const { read, signs } = side
  // Whom both sides name is who holds both.
  const holder = read.party !== "" && read.party === other.read.party
  const named =
    holder || (read.named.size > 0 && read.named.has(other.accountId))
      ? points.names
      : namesOthers(read, side.accountId)
        ? points.namesAnother
        : 0
  return clamp(base(side, read, signs, read.party !== "" && !holder) + named)
}
