/**
 * Straight encoders of answers: the JSON text that a schema would make of a value that has its type, in one pass, without
 * looking at each cell for what the compiler has looked at before. They pick the declared fields and no others, and write
 * amounts as numbers with all their digits. A part that is neither plain nor an amount is left to the schema itself.
 *
 * What is unknown may be absent or null in a value: it is sent as null where the field is always there, and left out
 * otherwise.
 */
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import { amountComponent } from "@millrace/core/operation"

type Write = (value: unknown) => string

const isAmount = (ast: SchemaAST.AST): boolean =>
  SchemaAST.isString(ast) && SchemaAST.resolveIdentifier(SchemaAST.toEncoded(ast)) === amountComponent

/** A value that is sent as it is. */
const plain: Write = (value) => JSON.stringify(value) ?? "null"

/** Characters that JSON writes otherwise, and those that may be half of one. */
// oxlint-disable-next-line no-control-regex -- these are what it looks for
const escaped = /[\u0000-\u001f"\\\ud800-\udfff]/

const text = (value: string): string => (escaped.test(value) ? JSON.stringify(value) : `"${value}"`)

const scalar: Write = (value) =>
  typeof value === "string" ? text(value) : typeof value === "boolean" ? (value ? "true" : "false") : plain(value)

/** Decimal text is a number of JSON with exactly its digits. */
const amount: Write = (value) => value as string

const bySchema = (ast: SchemaAST.AST): Write => {
  const encode = Schema.encodeUnknownSync(
    Schema.make<Schema.ConstraintEncoder<unknown>>(ast) as Schema.ConstraintEncoder<unknown>
  )
  return (value) => plain(encode(value))
}

const isScalar = (ast: SchemaAST.AST): boolean =>
  SchemaAST.isString(ast) ||
  SchemaAST.isNumber(ast) ||
  SchemaAST.isBoolean(ast) ||
  SchemaAST.isLiteral(ast) ||
  SchemaAST.isNull(ast)

const isNullable = (ast: SchemaAST.AST): boolean => SchemaAST.isUnion(ast) && ast.types.some(SchemaAST.isNull)

/** Whether null is no value of it. */
const isNeverNull = (ast: SchemaAST.AST): boolean =>
  isAmount(ast) || SchemaAST.isString(ast) || SchemaAST.isNumber(ast) || SchemaAST.isBoolean(ast)

/** What the text ends with so far, as an index of what goes before the next key: nothing yet, a value, or text without its quotation mark. */
type Ending = 0 | 1 | 2
const nothing: Ending = 0
const aValue: Ending = 1
const openText: Ending = 2
const before = ["{", ",", '",'] as const
const behind = ["{}", "}", '"}'] as const

interface Field {
  readonly name: string
  /** By what the text ends with: the key with its colon, behind what closes the value before it. */
  readonly keys: ReadonlyArray<string>
  /** The same with the quotation mark of text behind it. */
  readonly quoted: ReadonlyArray<string>
  readonly write: Write
  /** Sent as null where it is unknown, and not left out. */
  readonly always: boolean
  readonly neverNull: boolean
}

const fieldOf = ({ name, type }: SchemaAST.PropertySignature): Field => {
  const key = `${JSON.stringify(String(name))}:`
  return {
    name: String(name),
    keys: before.map((closed) => closed + key),
    quoted: before.map((closed) => `${closed}${key}"`),
    write: writerOf(type),
    always: isNullable(type) && !SchemaAST.isOptional(type),
    neverNull: isNeverNull(type)
  }
}

/** Marks that stand next to each other are added as one: each addition is a part of the text that is put together at its end. */
const struct = (properties: ReadonlyArray<SchemaAST.PropertySignature>): Write => {
  const fields = properties.map(fieldOf)
  return (value) => {
    const given = value as Readonly<Record<string, unknown>>
    let written = ""
    let ending: Ending = nothing
    for (const { always, keys, name, neverNull, quoted, write } of fields) {
      const field = given[name]
      const isUnknown = field === undefined || (field === null && neverNull)
      if (isUnknown && !always) continue
      if (write === scalar && typeof field === "string" && !escaped.test(field)) {
        written += quoted[ending]! + field
        ending = openText
      } else {
        written += keys[ending]! + (isUnknown ? "null" : write(field))
        ending = aValue
      }
    }
    return written + behind[ending]
  }
}

const ofObjects = (ast: SchemaAST.Objects): Write => {
  const { indexSignatures, propertySignatures } = ast
  if (indexSignatures.length === 0) return struct(propertySignatures)
  const [rest] = indexSignatures
  const isPlain = indexSignatures.length === 1 && propertySignatures.length === 0 && SchemaAST.isString(rest!.parameter)
  return isPlain && isPlainly(rest!.type) ? plain : bySchema(ast)
}

const ofArrays = (ast: SchemaAST.Arrays): Write => {
  const [rest] = ast.rest
  if (ast.elements.length > 0 || ast.rest.length !== 1) return bySchema(ast)
  const write = writerOf(rest!)
  if (write === plain) return plain
  return (value) => {
    const values = value as ReadonlyArray<unknown>
    let written = ""
    for (let n = 0; n < values.length; n++) written += (n === 0 ? "" : ",") + write(values[n])
    return `[${written}]`
  }
}

/** One of several values that are sent as they are, or something that may be null. */
const ofUnion = (ast: SchemaAST.Union): Write => {
  const known = ast.types.filter((type) => !SchemaAST.isNull(type))
  if (known.every(isScalarOrScalars)) return scalar
  if (known.every(isPlainly)) return plain
  if (known.length !== 1) return bySchema(ast)
  const write = writerOf(known[0]!)
  return (value) => (value === null ? "null" : write(value))
}

const isScalarOrScalars = (ast: SchemaAST.AST): boolean => ast.encoding === undefined && isScalar(ast)

/** Whether all of its values are sent as they are. */
const isPlainly = (ast: SchemaAST.AST): boolean => {
  const write = writerOf(ast)
  return write === plain || write === scalar
}

const writerOf = (ast: SchemaAST.AST): Write => {
  if (isAmount(ast)) return amount
  if (ast.encoding !== undefined) return bySchema(ast)
  if (isScalar(ast)) return scalar
  if (SchemaAST.isObjects(ast)) return ofObjects(ast)
  if (SchemaAST.isArrays(ast)) return ofArrays(ast)
  return SchemaAST.isUnion(ast) ? ofUnion(ast) : bySchema(ast)
}

/** The value as the schema sends it, as JSON text. */
export const encoder = (schema: Schema.Constraint): Write => writerOf(schema.ast)
