/** Parts of the configurations of several kinds. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import * as Decimal from "../../shared/Decimal.ts"

/** Text such as `12.5`, or a number, which counts as it is written. */
export const GivenDecimal: Schema.Codec<Decimal.Decimal, string | number> = Schema.Union([
  Schema.String,
  Schema.Finite
]).pipe(
  Schema.decodeTo(
    Decimal.DecimalText,
    SchemaTransformation.transform({
      decode: (given: string | number) => Decimal.parse(String(given)) ?? String(given),
      encode: (text: string): string | number => text
    })
  )
)

export const orElse = <S extends Schema.Top>(schema: S, fallback: S["Encoded"]) =>
  schema.pipe(Schema.withDecodingDefaultKey(Effect.succeed(fallback)))
