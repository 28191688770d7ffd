/** Why a tool was not called or did not succeed: the error of the API, as JSON text. */
import * as Data from "effect/Data"

export class Refusal extends Data.TaggedError("Refusal")<{ readonly text: string }> {}
