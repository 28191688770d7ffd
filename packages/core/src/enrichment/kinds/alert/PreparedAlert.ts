/** An alert that is ready to look at records. */
import { Cells } from "../../../filter/Cells.ts"
import { predicate, type Predicate } from "../../../filter/Closures.ts"
import type { PatternEngine } from "../../../pattern/Pattern.ts"
import type { FieldCatalog } from "../../../record/FieldCatalog.ts"
import { conditionOf } from "../../../rule/Condition.ts"
import { leavesOf } from "../../../rule/ConditionGroup.ts"
import { movesWithTheDay } from "../../../rule/lint/ConditionCheck.ts"
import { compileTemplate, parseTemplate } from "../../../rule/Template.ts"
import { type AlertConfig, eventCatalog } from "./AlertConfig.ts"

/** Keeps scratch space: one record at a time. */
export interface PreparedAlert {
  readonly config: AlertConfig
  readonly cells: Cells
  readonly matches: Predicate<Cells>
  /** The title by the template; `undefined` without one. */
  readonly title: ((cells: Cells) => string) | undefined
  /** All that is read of a record. */
  readonly reads: ReadonlyArray<string>
  /** What counts as a change of it: what is asked for, and what is shown. */
  readonly watched: ReadonlyArray<string>
  /** Whether other records may match on another day. */
  readonly moves: boolean
}

/** What messages show, of the data types that have it. */
const shown = [
  "date",
  "issueDate",
  "dueDate",
  "nextPaymentDueDate",
  "merchantName",
  "vendorName",
  "customerName",
  "securityName",
  "title",
  "description",
  "category",
  "amount",
  "total",
  "currency",
  "status",
  "accountName",
  "accountNumber",
  "bank",
  "pending"
] as const

export const prepareAlert = (config: AlertConfig, catalog: FieldCatalog, patterns: PatternEngine): PreparedAlert => {
  const cells = new Cells()
  const known = config.source === "event" ? eventCatalog : catalog
  const asked = Array.from(leavesOf(config.conditions, ""), ([{ field }]) => field)
  const { template } = config
  const rendered =
    template === undefined ? [] : parseTemplate(template).flatMap((part) => ("field" in part ? [part.field] : []))
  const watched = [...new Set([...asked, ...shown.filter((field) => catalog.has(field))])].toSorted()
  return {
    config,
    cells,
    matches: predicate(conditionOf(config.conditions, known, patterns), cells.reading),
    title: template === undefined ? undefined : compileTemplate(template, cells),
    reads: [...new Set([...watched, ...rendered])].toSorted(),
    watched,
    moves: movesWithTheDay(config.conditions, known, patterns)
  }
}
