/** Keys that are the same in every file of one account (decisions 7.1). */
import { parseIban } from "@millrace/core/bank"
import type { AccountType } from "@millrace/core/provider"

/** Upper case without white space and punctuation; masking characters stay, they tell accounts apart. */
const normalise = (text: string): string => text.toUpperCase().replace(/[\s.\-/_:]/g, "")

/** The IBAN, or `bankId:number:type` normalised. */
export const accountKey = (bankId: string, number: string, type: AccountType): string =>
  parseIban(number) ?? `${normalise(bankId)}:${normalise(number)}:${type}`
