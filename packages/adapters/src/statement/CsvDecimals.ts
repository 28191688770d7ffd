/** The decimal separator of a file, told by all of its amounts. */
import type { CharacterCodes } from "./CharacterCodes.ts"

export const point = 46
export const comma = 44

export class DecimalEvidence {
  /** Compiled code knows the layout of these objects only while one lives: it stays valid between files. */
  static readonly exemplar = new DecimalEvidence()
  private points = 0
  private commas = 0
  private openPoints = 0
  private openCommas = 0
  /** Some amount states that it leaves: a minus, parentheses, `DR`. */
  signed = false
  /** Some amount is grouped with an apostrophe, as in Switzerland. */
  apostrophes = false
  hasDollar = false
  hasEuro = false
  hasPound = false

  get certainPoints(): boolean {
    return this.points > 0 && this.commas === 0
  }

  get certainCommas(): boolean {
    return this.commas > 0 && this.points === 0
  }

  /** Both conventions are certain in some amount. */
  get conflicts(): boolean {
    return this.points > 0 && this.commas > 0
  }

  /** `own` = an amount, not a balance: only amounts say whether they state their sides. */
  add(codes: CharacterCodes, from: number, to: number, own = true): void {
    let lastPoint = -1
    let lastComma = -1
    let pointCount = 0
    let commaCount = 0
    let digitsBehind = 0
    let digitsBefore = 0
    let leadingZero = false
    for (let at = from; at < to; at++) {
      const c = codes[at]!
      if (c >= 48 && c <= 57) {
        if (lastPoint < 0 && lastComma < 0) {
          if (digitsBefore === 0) leadingZero = c === 48
          digitsBefore++
        }
        digitsBehind++
      } else if (c === point) {
        // The full stop of "Fr. 20" stands before any digit and a blank.
        if (digitsBefore === 0 && !(codes[at + 1]! >= 48 && codes[at + 1]! <= 57)) continue
        lastPoint = at
        pointCount++
        digitsBehind = 0
      } else if (c === comma) {
        lastComma = at
        commaCount++
        digitsBehind = 0
      } else if (c === 45 || c === 40 || c === 0x2212 || (c === 82 && codes[at - 1] === 68)) {
        if (own) this.signed = true
      } else if (c === 39 || c === 0x2019) this.apostrophes = true
      else if (c === 36) this.hasDollar = true
      else if (c === 0x20ac) this.hasEuro = true
      else if (c === 0xa3) this.hasPound = true
    }
    if (pointCount + commaCount === 0) return
    if (pointCount > 0 && commaCount > 0) {
      if (lastPoint > lastComma) this.points++
      else this.commas++
      return
    }
    const isPoint = pointCount > 0
    if (pointCount + commaCount > 1) {
      // A separator that occurs twice groups.
      if (isPoint) this.commas++
      else this.points++
      return
    }
    if (digitsBehind === 3 && digitsBefore > 0 && digitsBefore < 4 && !leadingZero) {
      if (isPoint) this.openPoints++
      else this.openCommas++
      return
    }
    if (isPoint) this.points++
    else this.commas++
  }

  /** Ambiguous = every amount with a separator has exactly three digits behind a single one. */
  decide(commaHint: boolean): { readonly decimal: number; readonly ambiguous: boolean } {
    if (this.points !== this.commas) return { decimal: this.points > this.commas ? point : comma, ambiguous: false }
    if (this.points > 0) return { decimal: commaHint ? comma : point, ambiguous: true }
    // Grouping is likelier than three decimals.
    if (this.openPoints > 0 && this.openCommas === 0) return { decimal: commaHint ? comma : point, ambiguous: true }
    if (this.openCommas > 0 && this.openPoints === 0) return { decimal: point, ambiguous: true }
    return { decimal: commaHint ? comma : point, ambiguous: this.openPoints > 0 }
  }
}
