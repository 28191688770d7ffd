/** Order of canonical decimals without big integers: what amount conditions run on. */
import { isNegative, wholeDigits, type Decimal } from "../shared/Decimal.ts"

/** Same whole digits: then the order of the texts is the order of the numbers. */
const magnitude = (a: Decimal, b: Decimal, skip: number): number => {
  const [wholeA, wholeB] = [wholeDigits(a), wholeDigits(b)]
  if (wholeA !== wholeB) return wholeA - wholeB
  const [left, right] = skip === 0 ? [a, b] : [a.slice(skip), b.slice(skip)]
  return left < right ? -1 : left > right ? 1 : 0
}

/** Below, at or above zero as `a` is below, equal to or above `b`. */
export const order = (a: Decimal, b: Decimal): number => {
  if (a === b) return 0
  const negative = isNegative(a)
  if (negative !== isNegative(b)) return negative ? -1 : 1
  return negative ? magnitude(b, a, 1) : magnitude(a, b, 0)
}
