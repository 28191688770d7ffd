/**
 * Conditions as propositions over a few values of each field. Fields are variables whose values are points that
 * all tests together tell apart. Tests that are true at no known points are variables of their own.
 */
import type { EmptyNode, FilterPlan, Test, TestNode } from "../filter/FilterPlan.ts"
import { partsOf } from "../filter/FilterPlan.ts"
import { isEmpty } from "../filter/ValueTest.ts"
import type { FieldCatalog } from "../record/FieldCatalog.ts"
import type { FieldValue } from "../record/FieldValue.ts"
import { isSource } from "./FieldAccess.ts"
import { isDecidable, pointsOf, readingOf, readingOfType, stray, type Reading } from "./Points.ts"
import { allOf, anyOf, falsity, truth, type Among, type Proposition } from "./Proposition.ts"

/** Tests of one field times its points; beyond, its tests are told apart by their wording alone. */
const mostBits = 20_000_000

type Leaf = TestNode | EmptyNode

const leavesOf = (plan: FilterPlan): ReadonlyArray<Leaf> =>
  plan.tag === "test" || plan.tag === "empty" ? [plan] : partsOf(plan).flatMap(leavesOf)

/** Whether it is asked the way conditions ask: of plain values, of which blank ones are none. */
const isPlain = (leaf: Leaf): boolean =>
  leaf.blank && (leaf.tag === "empty" || (leaf.json === undefined && readingOf(leaf.test) !== undefined))

/** Equal for equal questions only. */
const wordingOf = (test: Test): string => (test.tag === "pattern" ? `pattern ${test.source}` : JSON.stringify(test))

interface Word {
  readonly isTrue: Proposition
  readonly isFalse: Proposition
}

interface Field {
  readonly reading: Reading
  readonly places: ReadonlyMap<FieldValue, number>
  readonly isEmpty: Among
  readonly isFilled: Among
  /** Place behind the last value that can be read. */
  readonly end: number
  /** There is a value, and tests are either true or false of it. */
  readonly isReadable: Among
  /** Its tests read it in different ways, or are too many. */
  readonly isCoarse: boolean
  readonly words: Map<string, Word>
}

const one = (place: number): bigint => 1n << BigInt(place)
/** All places before this one. */
const before = (place: number): bigint => one(place) - 1n

/** Values of the variable of a test: unless it says otherwise, it is either of the first two. */
const isFalseBit = 1n
const isTrueBit = 2n
const isUnknownBit = 4n

export class Vocabulary {
  private readonly fields = new Map<string, Field>()
  private readonly free = new Map<string, number>()
  private count = 0
  /** Values of variables that a record is likely to have; variables that are left out are as they may be. */
  readonly likely = new Map<number, bigint>()

  /** Only these plans, and parts of them, can be read. */
  constructor(plans: Iterable<FilterPlan>, catalog: FieldCatalog) {
    const tests = new Map<string, Map<string, Test>>()
    for (const plan of plans)
      for (const leaf of leavesOf(plan)) {
        if (!isPlain(leaf)) continue
        let ofField = tests.get(leaf.field)
        if (ofField === undefined) tests.set(leaf.field, (ofField = new Map()))
        if (leaf.tag === "test") ofField.set(wordingOf(leaf.test), leaf.test)
      }
    for (const [name, ofField] of tests) this.fields.set(name, this.makeField(name, [...ofField.values()], catalog))
  }

  private makeField(name: string, tests: ReadonlyArray<Test>, catalog: FieldCatalog): Field {
    const variable = this.count++
    const readings = new Set(tests.map(readingOf))
    const type = catalog.get(name)
    const reading: Reading = [...readings][0] ?? readingOfType(type)
    const readable = readings.size > 1 ? [] : pointsOf(tests, reading)
    const isCoarse = readings.size > 1 || readable.length * tests.length > mostBits
    // Custom fields may hold what they were given before they were declared.
    const hasStray = isCoarse || (reading !== "text" && !isSource(name, catalog))
    const points = [...(isCoarse ? [null] : readable), ...(hasStray ? [stray] : [])]
    const all = before(points.length)
    const among = (values: bigint): Among => ({ tag: "among", variable, values, all })
    if (hasStray && type !== undefined && !isCoarse) this.likely.set(variable, before(readable.length))
    const places = new Map(points.map((point, place) => [point, place]))
    const empty = points.reduce((marks, point, place) => (isEmpty(point, true) ? marks | one(place) : marks), 0n)
    return {
      reading,
      places,
      end: readable.length,
      isEmpty: among(empty),
      isFilled: among(all ^ empty),
      isReadable: among((isCoarse ? all : before(readable.length)) & ~empty),
      isCoarse,
      words: new Map()
    }
  }

  private freeWord(asked: ReadonlyArray<unknown>, filled: ReadonlyArray<Proposition>, isNeverUnknown: boolean): Word {
    const key = JSON.stringify(asked)
    let variable = this.free.get(key)
    if (variable === undefined) this.free.set(key, (variable = this.count++))
    const all = isFalseBit | isTrueBit | (isNeverUnknown ? 0n : isUnknownBit)
    const is = (values: bigint): Proposition => allOf([...filled, { tag: "among", variable, values, all }])
    return { isTrue: is(isTrueBit), isFalse: is(isFalseBit) }
  }

  /** The places of the points that make a decidable test true. */
  private placesOf(test: Test, { places, end, isReadable }: Field): bigint {
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
    return values & isReadable.values
  }

  private makeWord(node: TestNode, field: Field, wording: string): Word {
    const { isReadable, isCoarse, reading } = field
    if (isDecidable(node.test) && !isCoarse) {
      const values = this.placesOf(node.test, field)
      return { isTrue: { ...isReadable, values }, isFalse: { ...isReadable, values: isReadable.values ^ values } }
    }
    return this.freeWord([node.field, wording], [isReadable], !isCoarse || reading === "text")
  }

  /** Tests with their answers; those of fields that are read in other ways than by conditions have any. */
  private wordOf(node: TestNode): Word {
    if (!isPlain(node)) return this.freeWord([node.field, node.json, node.blank, wordingOf(node.test)], [], false)
    const field = this.fields.get(node.field)!
    const wording = wordingOf(node.test)
    let word = field.words.get(wording)
    if (word === undefined) field.words.set(wording, (word = this.makeWord(node, field, wording)))
    return word
  }

  private isFree(node: TestNode): boolean {
    return !isPlain(node) || !isDecidable(node.test) || this.fields.get(node.field)!.isCoarse
  }

  /**
   * That the plan is true, or with `wanted` 0 that it is false. With `certain` only what is so however the tests
   * turn out that are true at no known points.
   */
  read(plan: FilterPlan, certain: boolean, wanted: 1 | 0 = 1): Proposition {
    switch (plan.tag) {
      case "constant":
        return plan.value === (wanted === 1) ? truth : falsity
      case "empty": {
        const field = this.fields.get(plan.field)
        if (field === undefined || !plan.blank) {
          const word = this.freeWord([plan.field, "empty"], [], true)
          return certain ? falsity : wanted === 1 ? word.isTrue : word.isFalse
        }
        return wanted === 1 ? field.isEmpty : field.isFilled
      }
      case "test": {
        if (certain && this.isFree(plan)) return falsity
        const word = this.wordOf(plan)
        return wanted === 1 ? word.isTrue : word.isFalse
      }
      case "not":
        return this.read(plan.part, certain, wanted === 1 ? 0 : 1)
      case "and":
      case "or": {
        const parts = plan.parts.map((part) => this.read(part, certain, wanted))
        return (plan.tag === "and") === (wanted === 1) ? allOf(parts) : anyOf(parts)
      }
      case "related":
      case "unrelated": {
        // Equal questions have equal answers; nothing else is known of them.
        const { tag, relation } = plan
        const asked = tag === "related" ? [plan.part.field, plan.part.json, wordingOf(plan.part.test)] : [plan.field]
        const word = this.freeWord([tag, relation, ...asked], [], false)
        return certain ? falsity : wanted === 1 ? word.isTrue : word.isFalse
      }
    }
  }
}
