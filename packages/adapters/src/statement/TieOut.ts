/** Whether balances and movements agree (decisions 7.1), in exact units of the finest amount. */
import * as Decimal from "@millrace/core/shared/Decimal"

/** opening + sum - closing: `"0"` ties out, anything else is what is missing. */
export const difference = (
  opening: Decimal.Decimal,
  amounts: Iterable<Decimal.Decimal>,
  closing: Decimal.Decimal
): Decimal.Decimal => Decimal.subtract(Decimal.add(opening, Decimal.sum(amounts)), closing)
