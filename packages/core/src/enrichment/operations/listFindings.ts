import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { operation } from "../../operation/Definition.ts"
import { Text, daysFrom, paging } from "../../operation/Parameters.ts"
import { list } from "../../operation/Success.ts"
import { FindingStatus } from "../Finding.ts"
import { Findings } from "../Findings.ts"
import { findingExample } from "./Examples.ts"
import { FindingRecord, findingToWire } from "./FindingRecord.ts"

export const listFindings = operation({
  noun: "findings",
  id: "listFindings",
  get: "/v1/enrichments/:enrichment_id/findings",
  summary: "List what an enrichment found, newest first",
  description:
    "Lists what an enrichment found and people should look at, newest first. What it finds no longer is `resolved`.",
  access: { anyOf: ["enrichments:read"], role: "viewer", app: "own" },
  repeats: "read",
  command: "enrichments findings list",
  tool: "list_findings",
  query: {
    status: Schema.optionalKey(FindingStatus),
    kind: Schema.optionalKey(Text),
    ...daysFrom(),
    ...paging
  },
  success: list(FindingRecord),
  example: { data: findingExample },
  run: ({ caller, ids, query }) =>
    Findings.use((findings) =>
      Effect.map(findings.list(caller, ids.enrichment, query), (page) => ({
        ...page,
        rows: page.rows.map(findingToWire)
      }))
    )
})
