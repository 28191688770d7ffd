/** The contract of /v1, from the definitions of its operations: shared by server, client and documentation. */
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import { nouns as bundledNouns } from "@millrace/core/access"
import type { AnyDefinition, Served } from "@millrace/core/operation"
import { definitions } from "@millrace/core/operations"
import { transportMeanings } from "../openapi/Errors.ts"
import { toDocument } from "../openapi/OpenApi.ts"
import { endpointOf } from "./Endpoint.ts"

export const apiVersion = "1.0.0"

/** What is bundled. */
export const bundled: Served = { operations: definitions, nouns: bundledNouns }

/** To the compiler, an API of one group: what it holds follows from definitions, which the compiler has checked. */
export type AnyApi = HttpApi.HttpApi<"millrace", HttpApiGroup.HttpApiGroup<string, never, true>>

const groupOf = (noun: string, operations: ReadonlyArray<AnyDefinition>): HttpApiGroup.Top =>
  operations
    .map(endpointOf)
    .reduce((group, endpoint) => group.add(endpoint as never), HttpApiGroup.make(noun, { topLevel: true })) as never

/** The API of these operations, in groups by their nouns. */
export const apiOf = (served: Served): AnyApi => {
  const all = Object.values(served.operations)
  const groups = Object.keys(served.nouns).flatMap((noun) => {
    const inside = all.filter((one) => one.noun === noun)
    return inside.length === 0 ? [] : [groupOf(noun, inside)]
  })
  return (
    groups
      .reduce((api, group) => api.add(group as never), HttpApi.make("millrace") as unknown as AnyApi)
      // A request with several faults gets all of them at once.
      .annotate(HttpApi.ParseOptions, { errors: "all" })
      .annotateMerge(
        OpenApi.annotations({
          title: "Millrace",
          version: apiVersion,
          description: [
            "Financial data sync: bank connections, their data, feeds and tables.",
            "Any request can end before it reaches an operation, with the body of all errors and its `referenceId`:",
            Object.entries(transportMeanings)
              .map(([status, meaning]) => `- ${status}: ${meaning}`)
              .join("\n")
          ].join("\n\n"),
          transform: toDocument(served)
        })
      )
  )
}

/** The API of the bundled operations. */
export const Api = apiOf(bundled)
