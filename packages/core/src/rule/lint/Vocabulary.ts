/**
 * Conditions as propositions over a few values of each field. Fields are variables whose values are points that
 * all tests together tell apart. Tests that are true at no known points are variables of their own.
 */
import type { EmptyNode, FilterPlan, Test, TestNode } from "../../filter/FilterPlan.ts"
import { partsOf } from "../../filter/FilterPlan.ts"
import type { FieldCatalog } from "../../record/FieldCatalog.ts"
import { FieldPoints } from "./FieldPoints.ts"
import { readingOf } from "./Points.ts"
import { allOf, anyOf, falsity, truth, type Proposition } from "./Proposition.ts"

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
  readonly points: FieldPoints
  readonly words: Map<string, Word>
}

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
    for (const [name, ofField] of tests) {
      const variable = this.count++
      const points = new FieldPoints(variable, name, [...ofField.values()], catalog)
      if (points.likely !== undefined) this.likely.set(variable, points.likely)
      this.fields.set(name, { points, words: new Map() })
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

  private makeWord(node: TestNode, points: FieldPoints, wording: string): Word {
    const { isReadable, isCoarse, reading } = points
    if (!points.decides(node.test))
      return this.freeWord([node.field, wording], [isReadable], !isCoarse || reading === "text")
    const values = points.satisfying(node.test)
    return { isTrue: { ...isReadable, values }, isFalse: { ...isReadable, values: isReadable.values ^ values } }
  }

  /** Tests with their answers; those of fields that are read in other ways than by conditions have any. */
  private wordOf(node: TestNode): Word {
    if (!isPlain(node)) return this.freeWord([node.field, node.json, node.blank, wordingOf(node.test)], [], false)
    const field = this.fields.get(node.field)!
    const wording = wordingOf(node.test)
    let word = field.words.get(wording)
    if (word === undefined) field.words.set(wording, (word = this.makeWord(node, field.points, wording)))
    return word
  }

  private isFree(node: TestNode): boolean {
    return !isPlain(node) || !this.fields.get(node.field)!.points.decides(node.test)
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
        return wanted === 1 ? field.points.isEmpty : field.points.isFilled
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
