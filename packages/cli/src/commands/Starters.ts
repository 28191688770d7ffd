/** Prepared bodies of enrichments. Loaded when one is asked for, because the catalogue of enrichments is slow to load. */
import * as Effect from "effect/Effect"
import { isObject, type JsonObject, parse } from "../output/ExactJson.ts"

export const starterNamed = (name: string): Effect.Effect<JsonObject> =>
  Effect.promise(async () => {
    const { starterBody, starters } = await import("@millrace/core/enrichment")
    const found = starters.find((starter) => starter.name === name)
    // Read again, so that all numbers are written as they stand.
    const body = found === undefined ? {} : parse(JSON.stringify(starterBody(found)))
    return isObject(body) ? body : {}
  })
