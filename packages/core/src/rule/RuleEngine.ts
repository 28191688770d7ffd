/** Runs many rules over one record in the time of the few that concern it (enrichments C5). */
import type { Claim, Outcome } from "./Outcome.ts"
import type { FieldCatalog } from "../record/FieldCatalog.ts"
import type { CellValue } from "../filter/FilterField.ts"
import { textOf } from "../filter/ValueTest.ts"
import type { Fields, FieldValue } from "../record/FieldValue.ts"
import type { CalendarDate } from "../shared/CalendarDate.ts"
import type { Work } from "../shared/Work.ts"
import { compileAction, sidesOf, unusable, type Compute } from "./ActionPlan.ts"
import { Cells } from "../filter/Cells.ts"
import { predicate, type Predicate } from "../filter/Closures.ts"
import { conditionOf } from "./Condition.ts"
import type { ConditionGroup } from "./ConditionGroup.ts"
import { LiteralIndex, type Literal, type Marks } from "./LiteralIndex.ts"
import type { PatternEngine } from "../pattern/Pattern.ts"
import type { RuleAction } from "./RuleAction.ts"
import { triggersOf } from "./Triggers.ts"

export interface Rule {
  readonly id: string
  readonly conditions: ConditionGroup
  readonly actions: ReadonlyArray<RuleAction>
}

interface CompiledAction {
  readonly field: string
  readonly slot: number
  readonly compute: Compute
}

interface CompiledRule {
  readonly id: string
  readonly holds: Predicate<Cells>
  readonly actions: ReadonlyArray<CompiledAction>
}

const nothing: Outcome = { claims: [] }

/** Rules that may hold, as a set of bits that hands them out in order and can grow meanwhile. */
class Candidates implements Marks {
  private readonly words: Int32Array
  /** Rules up to this one have had their turn. */
  private done = -1

  constructor(count: number) {
    this.words = new Int32Array((count + 31) >>> 5)
  }

  reset(always: Int32Array | undefined): void {
    this.done = -1
    if (always === undefined) this.words.fill(0)
    else this.words.set(always)
  }

  readonly mark = (rule: number): void => {
    if (rule > this.done) this.words[rule >>> 5]! |= 1 << (rule & 31)
  }

  /** The next rule in order, -1 at the end. */
  next(): number {
    const { words } = this
    for (let index = (this.done + 1) >>> 5; index < words.length; index++) {
      const word = words[index]!
      if (word === 0) continue
      const low = word & -word
      words[index] = word ^ low
      this.done = index * 32 + 31 - Math.clz32(low)
      return this.done
    }
    return -1
  }
}

export class RuleEngine {
  private readonly cells = new Cells()
  private readonly rules: ReadonlyArray<CompiledRule>
  /** Text fields with literals, and the automaton of each. */
  private readonly scanSlots: ReadonlyArray<number>
  private readonly scanIndexes: ReadonlyArray<LiteralIndex>
  private readonly indexOfSlot: ReadonlyArray<LiteralIndex | undefined>
  private readonly candidates: Candidates
  /** Rules that no literal announces. */
  private readonly always: Int32Array | undefined
  private readonly first: boolean
  private readonly sides: { readonly credit: number; readonly debit: number }

  /** The rules must have been checked against the same catalog. */
  constructor(rules: ReadonlyArray<Rule>, mode: "all" | "first", catalog: FieldCatalog, patterns: PatternEngine) {
    const { cells } = this
    this.first = mode === "first"
    this.candidates = new Candidates(rules.length)
    const always = new Int32Array((rules.length + 31) >>> 5)
    const literals = new Map<number, Array<Literal>>()
    this.rules = rules.map((rule, index) => {
      const condition = conditionOf(rule.conditions, catalog, patterns)
      const triggers = triggersOf(condition)
      if (triggers === undefined) always[index >>> 5]! |= 1 << (index & 31)
      else
        for (const { field, text, place } of triggers) {
          const slot = cells.slot(field)
          const list = literals.get(slot)
          if (list === undefined) literals.set(slot, [{ text, place, rule: index }])
          else list.push({ text, place, rule: index })
        }
      const holds = predicate(condition, cells.reading)
      const actions = rule.actions.map((action) => ({
        field: action.field,
        slot: cells.slot(action.field),
        compute: compileAction(action, catalog, patterns, cells)
      }))
      return { id: rule.id, holds, actions }
    })
    this.always = always.some((word) => word !== 0) ? always : undefined
    this.sides = { credit: cells.slot("creditAmount"), debit: cells.slot("debitAmount") }
    this.scanSlots = [...literals.keys()]
    this.scanIndexes = this.scanSlots.map((slot) => new LiteralIndex(literals.get(slot)!))
    this.indexOfSlot = cells.names.map((_, slot) => this.scanIndexes[this.scanSlots.indexOf(slot)])
  }

  private scan(index: LiteralIndex, value: CellValue): void {
    const text = textOf(value)
    if (text !== undefined) index.scan(text, this.candidates, this.cells.work)
  }

  private write(slot: number, value: FieldValue): void {
    if (this.cells.value(slot) === value) return
    this.cells.write(slot, value)
    // Rules behind this one are judged on the new value.
    const index = this.indexOfSlot[slot]
    if (index !== undefined) this.scan(index, value)
  }

  run(fields: Fields, context: { readonly today: CalendarDate; readonly work: Work }): Outcome {
    const { cells, candidates, scanSlots } = this
    cells.load(fields, context)
    context.work.spend(cells.names.length)
    candidates.reset(this.always)
    for (let at = 0; at < scanSlots.length; at++) this.scan(this.scanIndexes[at]!, cells.value(scanSlots[at]!))
    let claims: Array<Claim> | undefined
    let skipped = 0
    for (let next = candidates.next(); next >= 0; next = candidates.next()) {
      const rule = this.rules[next]!
      cells.work.spend(1)
      if (!rule.holds(cells)) continue
      claims ??= []
      for (const { field, slot, compute } of rule.actions) {
        cells.work.spend(1)
        const value = compute(cells)
        if (value === undefined) continue
        if (value === unusable) {
          skipped++
          continue
        }
        this.write(slot, value)
        claims.push({ field, value, path: rule.id })
        if (field === "amount") {
          const { creditAmount, debitAmount } = sidesOf(value)
          this.write(this.sides.credit, creditAmount)
          this.write(this.sides.debit, debitAmount)
          claims.push(
            { field: "creditAmount", value: creditAmount, path: rule.id },
            { field: "debitAmount", value: debitAmount, path: rule.id }
          )
        }
      }
      if (this.first) break
    }
    return claims === undefined ? nothing : { claims, matched: true, skipped }
  }
}
