/** What is wrong with a filter, where, and of what kind (decisions 3.2). */
import * as Result from "effect/Result"
import type { Fault } from "../shared/StrictDecoding.ts"

export interface FilterFault extends Fault {
  readonly code: "FILTER_INVALID" | "PARAM_REQUIRED" | "UNSAFE_PATTERN"
}

/** A fault of the clause itself; `part` is the key that is wrong, `""` for the clause as a whole. */
export interface ClauseFault {
  readonly part: "field" | "op" | "value" | ""
  readonly message: string
  readonly code: FilterFault["code"]
}

export const refuse = (
  part: ClauseFault["part"],
  message: string,
  code: ClauseFault["code"] = "FILTER_INVALID"
): Result.Result<never, ClauseFault> => Result.fail({ part, message, code })
