/** Keys that are the same in every file of one account (decisions 7.1). */
import type { AccountType } from "@millrace/core/account/AccountType"

const ibanForm = /^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/

/** Upper case without white space and punctuation; masking characters stay, they tell accounts apart. */
const normalise = (text: string): string => text.toUpperCase().replace(/[\s.\-/_:]/g, "")

/** The IBAN without spaces when `text` is one with correct check digits (ISO 13616). */
export const parseIban = (text: string): string | undefined => {
  const iban = normalise(text)
  if (!ibanForm.test(iban)) return undefined
  let remainder = 0
  for (const character of iban.slice(4) + iban.slice(0, 4)) {
    for (const digit of Number.parseInt(character, 36).toString()) remainder = (remainder * 10 + Number(digit)) % 97
  }
  return remainder === 1 ? iban : undefined
}

/** The IBAN, or `bankId:number:type` normalised. */
export const accountKey = (bankId: string, number: string, type: AccountType): string =>
  parseIban(number) ?? `${normalise(bankId)}:${normalise(number)}:${type}`
