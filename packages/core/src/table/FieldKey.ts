/** Keys of fields that a feed creates, made from the names of its columns. */
import { fieldKeyForm } from "./Table.ts"

const maxLength = 64

/** `Account ID` -> `accountId`, `Número de cuenta` -> `numeroDeCuenta`; names without a Latin letter or digit -> `field`. */
const camelCase = (name: string): string => {
  if (fieldKeyForm.test(name)) return name
  const words = name
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== "")
  const text = words
    .map((word, i) => {
      const rest = word === word.toUpperCase() ? word.slice(1).toLowerCase() : word.slice(1)
      return (i === 0 ? word.charAt(0).toLowerCase() : word.charAt(0).toUpperCase()) + rest
    })
    .join("")
  const begun = /^[a-z]/.test(text) ? text : `field${text}`
  return begun.slice(0, maxLength)
}

/** A key of the right form that is not in `taken`. */
export const fieldKey = (name: string, taken: ReadonlySet<string>): string => {
  const base = camelCase(name)
  let key = base
  for (let n = 2; taken.has(key); n++) key = base.slice(0, maxLength - String(n).length) + String(n)
  return key
}
