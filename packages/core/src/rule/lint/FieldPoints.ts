/** One field as a variable: its values are the points that its tests tell apart. */
import type { Test } from "../../filter/FilterPlan.ts"
import { isEmpty } from "../../filter/ValueTest.ts"
import type { FieldCatalog } from "../../record/FieldCatalog.ts"
import type { FieldValue } from "../../record/FieldValue.ts"
import { isSource } from "../FieldAccess.ts"
import { isDecidable, pointsOf, readingOf, readingOfType, stray, type Reading } from "./Points.ts"
import type { Among } from "./Proposition.ts"

/** Tests of one field times its points; beyond, its tests are told apart by their wording alone. */
const mostBits = 20_000_000

const one = (place: number): bigint => 1n << BigInt(place)
/** All places before this one. */
const before = (place: number): bigint => one(place) - 1n

export class FieldPoints {
  readonly isEmpty: Among
  readonly isFilled: Among
  /** There is a value, and tests are either true or false of it; of coarse fields not even that is known. */
  readonly isReadable: Among
  /** Values that records are likely to have; `undefined` if none is unlikely. */
  readonly likely: bigint | undefined
  readonly reading: Reading
  /** Its tests read it in different ways, or are too many. */
  readonly isCoarse: boolean
  private readonly places: ReadonlyMap<FieldValue, number>
  /** Place behind the last value that can be read. */
  private readonly end: number

  constructor(variable: number, name: string, tests: ReadonlyArray<Test>, catalog: FieldCatalog) {
    const readings = new Set(tests.map(readingOf))
    const type = catalog.get(name)
    this.reading = [...readings][0] ?? readingOfType(type)
    const readable = readings.size > 1 ? [null] : pointsOf(tests, this.reading)
    this.isCoarse = readings.size > 1 || readable.length * tests.length > mostBits
    // Custom fields may hold what they were given before they were declared.
    const hasStray = this.isCoarse || (this.reading !== "text" && !isSource(name, catalog))
    const points = [...(this.isCoarse ? [null] : readable), ...(hasStray ? [stray] : [])]
    const all = before(points.length)
    const among = (values: bigint): Among => ({ tag: "among", variable, values, all })
    const empty = points.reduce((marks, point, place) => (isEmpty(point, true) ? marks | one(place) : marks), 0n)
    this.places = new Map(points.map((point, place) => [point, place]))
    this.end = readable.length
    this.isEmpty = among(empty)
    this.isFilled = among(all ^ empty)
    this.isReadable = among((this.isCoarse ? all : before(this.end)) & ~empty)
    this.likely = hasStray && !this.isCoarse && type !== undefined ? before(this.end) : undefined
  }

  /** Whether it is known of which points the test is true. */
  decides(test: Test): boolean {
    return !this.isCoarse && isDecidable(test)
  }

  /** The points that make a test true that it decides; of the others that can be read it is false. */
  satisfying(test: Test): bigint {
    const { places, end } = this
    let values = 0n
    switch (test.tag) {
      case "text":
        // Values lose the blanks around them before they are compared.
        for (const text of test.values) if (text === text.trim()) values |= one(places.get(text)!)
        break
      case "truth":
        for (const value of test.values) values |= one(places.get(value)!)
        break
      case "number":
      case "day":
        for (const { low, high } of test.ranges) {
          const from = low === undefined ? 1 : places.get(low.value as string)! + Number(low.open)
          const to = high === undefined ? end : places.get(high.value as string)! + Number(!high.open)
          if (from < to) values |= before(to) ^ before(from)
        }
        break
      default:
    }
    return values & this.isReadable.values
  }
}
