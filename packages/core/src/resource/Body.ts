/** What is stored of a plain thing: its encoded form as JSON text, the same in every storage. */
import * as Cause from "effect/Cause"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import { type AnyDefinition, type Cell, type ColumnType, orderOf, type Place, type Plain } from "./Resource.ts"

/** A value that does not fit its Schema: a fault of the program, no matter when it is tried. */
class UnfitValue extends TypeError {
  override readonly name = "UnfitValue"
}

export interface Body<A extends Plain> {
  /** The text, and the values of the columns. */
  readonly write: (value: A) => {
    readonly text: string
    readonly columns: Readonly<Record<string, Cell>>
  }
  readonly read: (text: string) => A
  readonly placeOf: (value: A) => Place
}

const unless = <A>(exit: Exit.Exit<A, Schema.SchemaError>, what: string): A => {
  if (Exit.isSuccess(exit)) return exit.value
  const { message } = Cause.squash(exit.cause) as Error
  throw new UnfitValue(`${what}: ${message}`)
}

const fitsType: Readonly<Record<ColumnType, (value: unknown) => boolean>> = {
  boolean: (value) => typeof value === "boolean",
  integer: Number.isSafeInteger,
  text: (value) => typeof value === "string"
}

/** Both throw `UnfitValue`. */
export const bodyOf = <A extends Plain>(definition: AnyDefinition<A>): Body<A> => {
  const { columns, name, schema } = definition
  const order = orderOf(definition)
  const always = new Set<string>(order.flatMap((by) => (by.always === true ? [by.field] : [])))
  const columnOf = (field: string, type: ColumnType, value: unknown): Cell => {
    if ((value === undefined || value === null) && !always.has(field)) return null
    if (fitsType[type](value)) return value as Cell
    throw new UnfitValue(`the field "${field}" of "${name}" must be ${type}, as its definition says`)
  }
  const encode = Schema.encodeExit(Schema.toCodecJson(schema))
  const decode = Schema.decodeUnknownExit(Schema.toCodecJson(schema))
  const write: Body<A>["write"] = (value) => {
    const encoded = unless(encode(value), `"${name}" ${value.id} cannot be stored`)
    const fields = encoded as Readonly<Record<string, unknown>>
    return {
      text: JSON.stringify(encoded),
      columns: Object.fromEntries(
        Object.entries<ColumnType | undefined>(columns).map(([field, type]) => [
          field,
          columnOf(field, type!, fields[field])
        ])
      )
    }
  }
  return {
    write,
    placeOf: (value) => {
      const cells = write(value).columns
      return order.map(({ field }) => (field === "id" ? value.id : cells[field]!))
    },
    read: (text) => unless(decode(JSON.parse(text)), `what is stored of "${name}" cannot be read`)
  }
}
