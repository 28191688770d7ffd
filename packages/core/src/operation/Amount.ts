/** Exact decimals on the wire: a JSON number whose digits are the digits we keep (decisions 1.3). */
import * as Schema from "effect/Schema"
import * as Decimal from "../shared/Decimal.ts"

/** Name of the component in the OpenAPI document, which says there that it is a number. */
export const amountComponent = "Decimal"

/** Encoding yields raw JSON, so no digit passes through a double. `Any` keeps its name in documents, `Unknown` does not. */
export const Amount: Schema.Codec<Decimal.Decimal, unknown> = Schema.Any.annotate({
  identifier: amountComponent
}).pipe(Schema.decodeTo(Decimal.DecimalNumber))

const encode = Schema.encodeSync(Decimal.DecimalNumber)

/** Raw JSON of decimal text; text that is no decimal stays text. */
export const rawNumber = (text: string): unknown => {
  const value = Decimal.parse(text)
  return value === undefined ? text : encode(value)
}
