/** Faults of shape in parameters and bodies: 400 with every fault and where it is (decisions 3.1). */
import { HttpApiSchemaError } from "effect/http-api/HttpApiError"
import type * as SchemaIssue from "effect/SchemaIssue"
import { type Detail, faultText, issueFaults } from "@millrace/core"
import { type Answer, invalidRequest } from "@millrace/core/operation"

/** `fields[0].name`; bare names for parameters and headers. */
const pathOf = (path: ReadonlyArray<PropertyKey>): string =>
  path.reduce<string>(
    (text, key) => (typeof key === "number" ? `${text}[${key}]` : text === "" ? String(key) : `${text}.${String(key)}`),
    ""
  )

/** Of several faults at one place the first is told. */
const detailsOf = (issue: SchemaIssue.Issue): ReadonlyArray<Detail> => {
  const found = new Map<string, Detail>()
  for (const { path, message } of issueFaults(issue)) {
    const field = pathOf(path)
    if (found.has(field)) continue
    const text = faultText(message)
    found.set(field, field === "" ? { message: `the request ${text}` } : { field, message: text })
  }
  return [...found.values()]
}

/** A parameter that came twice is no value at all, whatever the decoder makes of the list. */
const onlyOnce =
  (query: URLSearchParams) =>
  (detail: Detail): Detail =>
    detail.field !== undefined && query.getAll(detail.field).length > 1
      ? { ...detail, message: "must be given only once" }
      : detail

/** The answer to a request that does not have the shape of its operation; `undefined` for any other error. */
export const shapeAnswer = (error: unknown, target: string): Answer | undefined => {
  if (!HttpApiSchemaError.is(error) || error.kind === "Body" || error.kind === "ResponseHeaders") return undefined
  const details = detailsOf(error.cause.issue)
  if (error.kind !== "Query") return invalidRequest(details)
  return invalidRequest(details.map(onlyOnce(new URLSearchParams(target.split("?", 2)[1]))))
}
