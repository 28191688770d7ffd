/** How a statement names its account, in one form whatever the bank writes around it. */

export interface AccountReference {
  /** Number of the bank or branch where it stands apart from the account's; `""` without one. */
  readonly bankId: string
  /** The account's number as it is written: whole, masked, or an IBAN; `""` without one. */
  readonly number: string
}

const ibanForm = /^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/

/** Upper case without white space and punctuation; masking characters stay, they tell accounts apart. */
const plain = (text: string): string => text.toUpperCase().replace(/[\s.\-/_:]/g, "")

const unpadded = (text: string): string => text.replace(/^0+(?=.)/, "")

/** The IBAN without spaces when `text` is one with correct check digits (ISO 13616). */
export const parseIban = (text: string): string | undefined => {
  const iban = plain(text)
  if (!ibanForm.test(iban)) return undefined
  let remainder = 0
  for (const character of iban.slice(4) + iban.slice(0, 4)) {
    for (const digit of Number.parseInt(character, 36).toString()) remainder = (remainder * 10 + Number(digit)) % 97
  }
  return remainder === 1 ? iban : undefined
}

/** Letters and digits that a number needs to be known by them alone. */
const telling = 5
/** The shortest end of an IBAN that is the number of an account. */
const shortestInIban = 7
/** Country and check digits. */
const beginOfNumber = 4

const masks = /[*#•●…]|X{2,}(?=[X*#•●…\d]*\d{2,6}$)/i

/** Whether only the end of the number is reported: masked, or too short to be all of it. */
export const isMaskedNumber = (number: string): boolean => {
  const text = plain(number)
  return text !== "" && (masks.test(text) || text.length < telling)
}

/**
 * The names of an account, strongest first: two accounts that share one are the same, but for what their
 * bank, type or currency says. Spaces, leading zeros and a bank's number before the account's make no difference,
 * and the number inside an IBAN is known as well. Empty where there is no number, or only the end of one.
 *
 * They hold full numbers: a key that is kept is made of one.
 */
export const accountNames = ({ bankId, number }: AccountReference): ReadonlyArray<string> => {
  if (number === "" || isMaskedNumber(number)) return []
  const iban = parseIban(number)
  if (iban !== undefined) {
    const ends = new Set<string>()
    for (let at = beginOfNumber; iban.length - at >= shortestInIban; at++) {
      const end = unpadded(iban.slice(at))
      if (end.length >= shortestInIban) ends.add(`#${end}`)
    }
    return [iban, ...ends]
  }
  const own = unpadded(plain(number))
  const bank = unpadded(plain(bankId))
  if (bank === "") return [`#${own}`]
  return [`${bank}#${own}`, `#${unpadded(plain(bankId + number))}`, `#${own}`]
}

/** A name whose parts went through `seal`; equal names have equal keys, and what of them is the bank still shows. */
export const sealedName = (name: string, seal: (part: string) => string): string => {
  const at = name.indexOf("#")
  if (at < 0) return seal(name)
  return `${at === 0 ? "" : seal(name.slice(0, at))}#${seal(name.slice(at + 1))}`
}

/** The bank of a name or a key that tells it. */
export const bankOfName = (name: string): string | undefined => {
  const at = name.indexOf("#")
  return at > 0 ? name.slice(0, at) : undefined
}
