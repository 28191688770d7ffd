/** What the OpenAPI document says of statuses and errors (decisions 3). */
import type { ErrorCode } from "@millrace/core"
import { exampleIds } from "@millrace/core/operation"
import type { Node } from "./Node.ts"

/** Descriptions of statuses. */
export const meanings: Readonly<Record<string, string>> = {
  "200": "Success",
  "201": "Created",
  "202": "Taken on; it is done later",
  "304": "The version of If-None-Match is the present one",
  "400": "The request has the wrong shape",
  "401": "The credential is missing or not valid",
  "403": "The credential, the role or the plan does not allow it",
  "404": "Not found",
  "409": "The present state does not allow it",
  "412": "The record has changed",
  "413": "The body is too large",
  "415": "The content type is not supported",
  "422": "The shape is right, the meaning is not",
  "429": "Rate limit exceeded",
  "500": "Something went wrong",
  "501": "Not available in this environment",
  "503": "Temporarily unavailable, or the bank must be reconnected"
}

/** Statuses that a request can have before it reaches an operation. */
export const transportMeanings: Readonly<Record<string, string>> = {
  "400": "the request is not valid HTTP, or names no host",
  "408": "the request took too long",
  "414": "the address is too long",
  "417": "`Expect` asks for something other than `100-continue`",
  "431": "the headers are too long",
  "503": "the server starts, stops or is busy; `Retry-After` says when to come back"
}

const error = (code: ErrorCode, text: string, more: Node = {}): Node => ({
  success: false,
  error: text,
  code,
  referenceId: "req_01k9d3v6w8x2y4z6a8b0c2d4e6",
  ...more
})

const retry = (afterSeconds: number): Node => ({ recovery: { action: "retry", afterSeconds } })
const detail = (field: string, message: string): Node => ({ details: [{ field, message }] })

/** One error of each status as it is answered. */
export const errorExamples: Readonly<Record<string, Node>> = {
  "400": error(
    "INVALID_REQUEST",
    "Request is invalid: limit must be an integer of at least 1",
    detail("limit", "must be an integer of at least 1")
  ),
  "401": error("INVALID_CREDENTIAL", "Invalid or expired API key"),
  "403": error("INSUFFICIENT_SCOPE", "Missing scope: banks:read", { details: [{ message: "banks:read" }] }),
  "404": error("NOT_FOUND", "Bank not found"),
  "409": error("SYNC_ALREADY_RUNNING", "A sync job is already running for this feed", {
    ...retry(30),
    ...detail("jobId", exampleIds.job)
  }),
  "412": error("PRECONDITION_FAILED", "Record has changed"),
  "413": error("BODY_TOO_LARGE", "Body is larger than 1048576 bytes"),
  "415": error("UNSUPPORTED_MEDIA_TYPE", "Content type or content encoding is not supported"),
  "422": error(
    "VALIDATION_FAILED",
    "Validation failed: fields[0].options.currency is not a currency",
    detail("fields[0].options.currency", "is not a currency")
  ),
  "429": error("RATE_LIMITED", "Rate limit exceeded", retry(12)),
  "500": error("INTERNAL_ERROR", "Something went wrong", { recovery: { action: "contact_support" } }),
  "501": error("DESTINATION_NOT_AVAILABLE", "Destination notion is not available in this environment"),
  "503": error("RECONNECT_REQUIRED", "The bank must be reconnected", { recovery: { action: "reconnect" } })
}
