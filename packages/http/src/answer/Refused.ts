/** A check before the handler that did not pass. */
import * as Data from "effect/Data"
import type { Answer } from "@millrace/core/operation"

export class Refused extends Data.TaggedError("Refused")<{ readonly answer: Answer }> {}

export const refuse = (answer: Answer): Refused => new Refused({ answer })
