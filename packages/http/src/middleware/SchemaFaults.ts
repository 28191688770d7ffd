/** Faults of shape in parameters and bodies: 400 with every fault and where it is (decisions 3.1). */
import * as Effect from "effect/Effect"
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import { ParsedSearchParams } from "effect/http/HttpServerRequest"
import * as SchemaIssue from "effect/SchemaIssue"
import type { Detail } from "@millrace/core/failure/Failure"
import { invalidRequest, respond } from "../errors.ts"

export class SchemaFaults extends HttpApiMiddleware.Service<SchemaFaults>()("@millrace/http/middleware/SchemaFaults") {}

const format = SchemaIssue.makeFormatterStandardSchemaV1()

/** `fields[0].name`; bare names for parameters and headers. */
const pathOf = (path: ReadonlyArray<PropertyKey>): string =>
  path.reduce<string>(
    (text, key) => (typeof key === "number" ? `${text}[${key}]` : text === "" ? String(key) : `${text}.${String(key)}`),
    ""
  )

const choice = /^"[^"]*"(?: \| "[^"]*")+$/

const kinds: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  boolean: "true or false",
  object: "an object",
  array: "a list",
  null: "null"
}

/** The framework's wording, as a sentence that begins with the field. */
const wordingOf = (message: string): string => {
  if (message === "Missing key") return "is required"
  const expected = message.replace(/^Expected /, "")
  if (choice.test(expected)) return `must be one of ${expected.replaceAll('"', "").replaceAll(" | ", ", ")}`
  const named = expected.split(" | ").map((kind) => kinds[kind])
  if (!named.includes(undefined)) return `must be ${named.join(" or ")}`
  return `must be ${expected.replaceAll('"', "").replace("a value with a length of", "text or a list of length")}`
}

const detailsOf = (issue: SchemaIssue.Issue): ReadonlyArray<Detail> =>
  format(issue).issues.map(({ path, message }) => {
    const field = pathOf((path ?? []).map((key) => (typeof key === "object" ? key.key : key)))
    return { ...(field === "" ? {} : { field }), message: wordingOf(message) }
  })

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
