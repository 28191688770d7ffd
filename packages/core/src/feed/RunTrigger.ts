/** What starts a run of a feed. */
import * as Schema from "effect/Schema"

export const RunTrigger = Schema.Literals(["manual", "scheduled", "webhook"])
export type RunTrigger = typeof RunTrigger.Type
