/**
 * Straight encoders of answers: what a schema would make of a value that has its type, without looking at each cell for
 * what the compiler has looked at before. They pick the declared fields and no others, and write amounts as numbers with
 * all their digits. A part that is neither plain nor an amount is left to the schema itself.
 */
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import { Decimal } from "@millrace/core"
import { amountComponent } from "../wire/Amount.ts"

type Encode = (value: unknown) => unknown

/** `undefined`: the value is sent as it is. */
type Encoder = Encode | undefined

const isAmount = (ast: SchemaAST.AST): boolean =>
  SchemaAST.isString(ast) && SchemaAST.resolveIdentifier(SchemaAST.toEncoded(ast)) === amountComponent

const bySchema = (ast: SchemaAST.AST): Encoder =>
  Schema.encodeUnknownSync(Schema.make<Schema.ConstraintEncoder<unknown>>(ast) as Schema.ConstraintEncoder<unknown>)

const isScalar = (ast: SchemaAST.AST): boolean =>
  SchemaAST.isString(ast) ||
  SchemaAST.isNumber(ast) ||
  SchemaAST.isBoolean(ast) ||
  SchemaAST.isLiteral(ast) ||
  SchemaAST.isNull(ast)

type Name = readonly [name: string, encode: Encoder]

const record =
  (names: ReadonlyArray<Name>): Encode =>
  (value) => {
    const given = value as Readonly<Record<string, unknown>>
    const fields: Record<string, unknown> = {}
    for (const [name, encode] of names) {
      const field = given[name]
      if (field !== undefined) fields[name] = encode === undefined ? field : encode(field)
    }
    return fields
  }

const ofObjects = (ast: SchemaAST.Objects): Encoder => {
  const { indexSignatures, propertySignatures } = ast
  if (indexSignatures.length === 0) {
    return record(propertySignatures.map(({ name, type }): Name => [String(name), encoderOf(type)]))
  }
  const [rest] = indexSignatures
  const isPlain = indexSignatures.length === 1 && propertySignatures.length === 0 && SchemaAST.isString(rest!.parameter)
  return isPlain && encoderOf(rest!.type) === undefined ? undefined : bySchema(ast)
}

const ofArrays = (ast: SchemaAST.Arrays): Encoder => {
  const [rest] = ast.rest
  if (ast.elements.length > 0 || ast.rest.length !== 1) return bySchema(ast)
  const encode = encoderOf(rest!)
  return encode === undefined ? undefined : (value) => (value as ReadonlyArray<unknown>).map(encode)
}

/** One of several values that are sent as they are, or something that may be null. */
const ofUnion = (ast: SchemaAST.Union): Encoder => {
  const known = ast.types.filter((type) => !SchemaAST.isNull(type))
  if (known.every((type) => encoderOf(type) === undefined)) return undefined
  const encode = known.length === 1 ? encoderOf(known[0]!) : undefined
  return encode === undefined ? bySchema(ast) : (value) => (value === null ? null : encode(value))
}

const encoderOf = (ast: SchemaAST.AST): Encoder => {
  if (isAmount(ast)) return (value) => Decimal.toJsonNumber(value as Decimal.Decimal)
  if (ast.encoding !== undefined) return bySchema(ast)
  if (isScalar(ast)) return undefined
  if (SchemaAST.isObjects(ast)) return ofObjects(ast)
  if (SchemaAST.isArrays(ast)) return ofArrays(ast)
  return SchemaAST.isUnion(ast) ? ofUnion(ast) : bySchema(ast)
}

/** The value as the schema sends it: JSON may be made of it. */
export const encoder = (schema: Schema.Constraint): Encode => encoderOf(schema.ast) ?? ((value) => value)
