/**
 * Amounts in order. They are laid into buckets by their first binary digits, which the order of buckets follows, and of most
 * buckets only a few have to be put in order: that takes a fraction of comparing all of them.
 */

/** Digits behind the first one that tell buckets apart. */
const digits = 8

/** What is larger is in order by comparing. */
const mostUnits = Number.MAX_SAFE_INTEGER / 4

/** Binary digits that are cut from large amounts, so that the others are whole numbers of 32 bits. */
const cut = 22
const cutBy = 2 ** cut

/** Of a whole number that is not negative: larger, or equal, where the number is larger. */
const bucketOf = (units: number): number => {
  const isSmall = units < 0x8000_0000
  const whole = isSmall ? units | 0 : (units / cutBy) | 0
  const place = 31 - Math.clz32(whole | 1)
  const behind = place > digits ? whole >>> (place - digits) : whole << (digits - place)
  return ((isSmall ? place : place + cut) << digits) + (behind & ((1 << digits) - 1))
}

/** Numbers in a bucket up to which each is put before those that are larger. */
const few = 24

const arrange = (numbers: Float64Array, from: number, to: number): void => {
  if (to - from > few) {
    numbers.subarray(from, to).sort()
    return
  }
  for (let at = from + 1; at < to; at++) {
    const number = numbers[at]!
    let place = at
    for (; place > from && numbers[place - 1]! > number; place--) numbers[place] = numbers[place - 1]!
    numbers[place] = number
  }
}

/** Amounts below which calls cost more than they save. */
const least = 64

/** `units`: whole numbers, none negative. */
export const inOrder = (units: Float64Array): Float64Array => {
  if (units.length < least) return units.toSorted()
  let [low, high] = [Infinity, 0]
  for (let n = 0; n < units.length; n++) {
    const one = units[n]!
    if (one < low) low = one
    if (one > high) high = one
  }
  if (!(high < mostUnits)) return units.toSorted()
  const first = bucketOf(low)
  const buckets = bucketOf(high) - first + 1
  const ends = new Int32Array(buckets)
  for (let n = 0; n < units.length; n++) ends[bucketOf(units[n]!) - first]!++
  for (let n = 1; n < buckets; n++) ends[n]! += ends[n - 1]!
  const ordered = new Float64Array(units.length)
  // From the end of each bucket on backwards: at last, the ends are where the buckets begin.
  for (let n = units.length - 1; n >= 0; n--) {
    const one = units[n]!
    ordered[--ends[bucketOf(one) - first]!] = one
  }
  for (let n = 0; n < buckets; n++) {
    const [from, to] = [ends[n]!, n + 1 < buckets ? ends[n + 1]! : units.length]
    if (to - from > 1) arrange(ordered, from, to)
  }
  return ordered
}
