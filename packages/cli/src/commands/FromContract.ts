/** Commands of a bundled collection, from its contract. */
import type { CollectionContract } from "@millrace/core/collection"
import * as Schema from "effect/Schema"
import type { DerivedField, DerivedOperation, Group } from "./Derived.ts"
import { fieldOf, fieldsOf } from "./FromDocument.ts"

/** What commands need to know of it. */
interface Contract extends Pick<CollectionContract<never, never, never>, "surface" | "query" | "paged" | "removal"> {
  readonly create: Schema.Top
  readonly update: Schema.Top
}

/** The JSON schema of a body or a parameter, with what it refers to. */
const jsonOf = (schema: Schema.Top): Readonly<Record<string, unknown>> => {
  const { definitions, schema: root } = Schema.toJsonSchemaDocument(schema)
  const { $ref: ref } = root
  return typeof ref === "string" ? (definitions[ref.slice(ref.lastIndexOf("/") + 1)] ?? {}) : root
}

const text = (name: string, description: string): DerivedField => ({ name, type: "text", description })
const flag = (name: string, description: string): DerivedField => ({ name, type: "boolean", description })

/** What the parameters of removals mean. */
const removals: Readonly<Record<string, string>> = {
  apply: "How far it reaches back: new records and those of the last 45 days, or all of the history"
}

const paging: ReadonlyArray<DerivedField> = [
  text("cursor", "Where the page begins, from an earlier answer"),
  { name: "limit", type: "integer", description: "Records per page" }
]

export const groupOf = (contract: Contract): Group => {
  const { create, paged, query, removal = {}, surface, update } = contract
  const { about, parameter, path, trash, verbs } = surface
  const byId = `${path}/{${parameter}}`
  const derived = (
    verb: keyof typeof verbs,
    method: DerivedOperation["method"],
    more: Partial<DerivedOperation> & Pick<DerivedOperation, "answers" | "path">
  ): DerivedOperation => ({
    command: String(verbs[verb].command),
    summary: verbs[verb].summary,
    method,
    query: [],
    conditional: false,
    ...more
  })
  const filters = Object.entries(query).flatMap(
    ([name, schema]) => fieldOf(name, jsonOf(schema), `Only those whose ${name} is this`) ?? []
  )
  const trashed = trash ? [flag("trashed", "Those in the trash instead")] : []
  const removing = [
    ...Object.entries(removal).flatMap(([name, schema]) => fieldOf(name, jsonOf(schema), removals[name] ?? "") ?? []),
    ...(trash ? [flag("permanent", "For good, from the trash")] : [])
  ]
  const operations: ReadonlyArray<DerivedOperation> = [
    derived("list", "GET", { path, answers: "list", query: [...filters, ...trashed, ...(paged ? paging : [])] }),
    derived("get", "GET", { path: byId, answers: "record" }),
    derived("create", "POST", { path, answers: "record", body: fieldsOf(jsonOf(create)) }),
    derived("update", "PUT", { path: byId, answers: "record", body: fieldsOf(jsonOf(update)), conditional: true }),
    derived("remove", "DELETE", { path: byId, answers: "nothing", query: removing, conditional: true }),
    ...(trash ? [derived("restore", "POST", { path: `${byId}/restore`, answers: "record" })] : [])
  ]
  return { name: String(verbs.list.command).split(" ")[0]!, description: about, operations }
}
