/** Budgets that were spent, and more than that, in the time that a digest tells of (enrichments C16). */
import * as CalendarDate from "../../../shared/CalendarDate.ts"
import * as Decimal from "../../../shared/Decimal.ts"
import type { PlanFigure } from "../SetKind.ts"

/** A line that spent more than there was. */
export interface DigestBreach extends PlanFigure {
  readonly over: Decimal.Decimal
}

/**
 * Lines of periods that ended within the time, or ran at its end, and are overspent: by budget, then the line that is over by most.
 * A period that goes on is reported in each digest until it is over.
 */
export const breachesIn = (
  figures: ReadonlyArray<PlanFigure>,
  start: CalendarDate.CalendarDate,
  /** The first day after it. */
  end: CalendarDate.CalendarDate
): ReadonlyArray<DigestBreach> => {
  const last = CalendarDate.addDays(end, -1)
  return figures
    .flatMap((figure): ReadonlyArray<DigestBreach> => {
      const over = Decimal.subtract(figure.spent, figure.planned)
      const isNear = figure.from <= last && figure.to >= start
      return isNear && !Decimal.isNegative(over) && over !== "0" ? [{ ...figure, over }] : []
    })
    .toSorted(
      (a, b) =>
        (a.enrichmentId < b.enrichmentId ? -1 : a.enrichmentId > b.enrichmentId ? 1 : 0) ||
        Decimal.compare(b.over, a.over) ||
        (a.name < b.name ? -1 : 1) ||
        (a.from < b.from ? -1 : 1)
    )
}
