/** Faults of shape in parameters and bodies: 400 with every fault and where it is (decisions 3.1). */
import * as Effect from "effect/Effect"
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
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

const wordingOf = (message: string): string =>
  message === "Missing key" ? "is required" : message.replace(/^Expected /, "must be ")

const detailsOf = (issue: SchemaIssue.Issue): ReadonlyArray<Detail> =>
  format(issue).issues.map(({ path, message }) => {
    const field = pathOf((path ?? []).map((key) => (typeof key === "object" ? key.key : key)))
    return { ...(field === "" ? {} : { field }), message: wordingOf(message) }
  })

export const layer = HttpApiMiddleware.layerSchemaErrorTransform(SchemaFaults, (error) =>
  error.kind === "Body" || error.kind === "ResponseHeaders"
    ? Effect.die(error)
    : respond(invalidRequest(detailsOf(error.cause.issue)))
)
