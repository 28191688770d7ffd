/** Faults of shape in parameters and bodies: 400 with every fault and where it is (decisions 3.1). */
import * as Effect from "effect/Effect"
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import { ParsedSearchParams } from "effect/http/HttpServerRequest"
import * as SchemaIssue from "effect/SchemaIssue"
import { type Detail, faultText } from "@millrace/core"
import { invalidRequest, respond } from "./errors.ts"

export class SchemaFaults extends HttpApiMiddleware.Service<SchemaFaults>()("@millrace/http/answer/SchemaFaults") {}

const format = SchemaIssue.makeFormatterStandardSchemaV1()

/** `fields[0].name`; bare names for parameters and headers. */
const pathOf = (path: ReadonlyArray<PropertyKey>): string =>
  path.reduce<string>(
    (text, key) => (typeof key === "number" ? `${text}[${key}]` : text === "" ? String(key) : `${text}.${String(key)}`),
    ""
  )

/** Of several faults at one place the first is told. */
const detailsOf = (issue: SchemaIssue.Issue): ReadonlyArray<Detail> => {
  const found = new Map<string, Detail>()
  for (const { path, message } of format(issue).issues) {
    const field = pathOf((path ?? []).map((key) => (typeof key === "object" ? key.key : key)))
    if (found.has(field)) continue
    const text = faultText(message)
    found.set(field, field === "" ? { message: `the request ${text}` } : { field, message: text })
  }
  return [...found.values()]
}

type Query = ParsedSearchParams["Service"]

/** A parameter that came twice is no value at all, whatever the decoder makes of the list. */
const onlyOnce = (query: Query, detail: Detail): Detail =>
  detail.field !== undefined && Array.isArray(query[detail.field])
    ? { ...detail, message: "must be given only once" }
    : detail

export const layer = HttpApiMiddleware.layerSchemaErrorTransform(SchemaFaults, (error) => {
  if (error.kind === "Body" || error.kind === "ResponseHeaders") return Effect.die(error)
  const details = detailsOf(error.cause.issue)
  return error.kind === "Query"
    ? Effect.flatMap(ParsedSearchParams, (query) =>
        respond(invalidRequest(details.map((detail) => onlyOnce(query, detail))))
      )
    : respond(invalidRequest(details))
})
