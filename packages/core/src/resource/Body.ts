/** What is stored of a plain thing: its encoded form as JSON text, the same in every storage. */
import * as Cause from "effect/Cause"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import { type AnyDefinition, orderOf, type Place, type Plain } from "./Resource.ts"

/** A value that does not fit its Schema: a fault of the program, no matter when it is tried. */
class UnfitValue extends TypeError {
  override readonly name = "UnfitValue"
}

export interface Body<A extends Plain> {
  /** The text, and the values of the columns: text, whole numbers or null. */
  readonly write: (value: A) => {
    readonly text: string
    readonly columns: Readonly<Record<string, string | number | null>>
  }
  readonly read: (text: string) => A
  readonly placeOf: (value: A) => Place
}

const unless = <A>(exit: Exit.Exit<A, Schema.SchemaError>, what: string): A => {
  if (Exit.isSuccess(exit)) return exit.value
  const { message } = Cause.squash(exit.cause) as Error
  throw new UnfitValue(`${what}: ${message}`)
}

const columnOf = (name: string, field: string, type: string | undefined, value: unknown): string | number | null => {
  if (value === undefined || value === null) return null
  const fits = type === "integer" ? Number.isSafeInteger(value) : typeof value === "string"
  if (!fits) throw new UnfitValue(`the field "${field}" of "${name}" must be ${type}, as its columns say`)
  return value as string | number
}

/** Both throw `UnfitValue`. */
export const bodyOf = <A extends Plain>(definition: AnyDefinition<A>): Body<A> => {
  const { columns, name, schema } = definition
  const order = orderOf(definition)
  const encode = Schema.encodeExit(Schema.toCodecJson(schema))
  const decode = Schema.decodeUnknownExit(Schema.toCodecJson(schema))
  const write: Body<A>["write"] = (value) => {
    const encoded = unless(encode(value), `"${name}" ${value.id} cannot be stored`)
    const fields = encoded as Readonly<Record<string, unknown>>
    return {
      text: JSON.stringify(encoded),
      columns: Object.fromEntries(
        Object.entries<string | undefined>(columns).map(([field, type]) => [
          field,
          columnOf(name, field, type, fields[field])
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
