/** What enrichments found: commands below `enrichments`. */
import { findingStatuses } from "@millrace/core/enrichment"
import type { DerivedOperation } from "./Derived.ts"

const path = "/v1/enrichments/{enrichment_id}/findings"

const status = {
  name: "status",
  type: "text",
  choices: findingStatuses,
  description: "open, acknowledged, dismissed, confirmed or resolved"
} as const

export const findings: ReadonlyArray<DerivedOperation> = [
  {
    command: "enrichments findings list",
    summary: "List what an enrichment found, newest first",
    method: "GET",
    path,
    query: [
      status,
      { name: "kind", type: "text", description: "Only those of this kind, such as duplicate_charge" },
      { name: "from", type: "text", description: "First day on which it was found first" },
      { name: "to", type: "text", description: "Last day on which it was found first" },
      { name: "limit", type: "integer", description: "Records per page" },
      { name: "cursor", type: "text", description: "Where the page begins, from an earlier answer" }
    ],
    conditional: false,
    answers: "list"
  },
  {
    command: "enrichments findings update",
    summary: "Decide about a finding",
    method: "PUT",
    path: `${path}/{finding_id}`,
    query: [],
    body: [status, { name: "note", type: "text", description: "What you want to remember about it" }],
    conditional: false,
    answers: "record"
  }
]

/** Simulations that are played in the background. */
export const simulations: ReadonlyArray<DerivedOperation> = [
  {
    command: "enrichments simulations get",
    summary: "Read a simulation that is played in the background: how far it came, and what it found",
    method: "GET",
    path: "/v1/enrichments/simulations/{simulation_id}",
    query: [],
    conditional: false,
    answers: "record"
  },
  {
    command: "enrichments simulations cancel",
    summary: "Play a simulation no further",
    method: "DELETE",
    path: "/v1/enrichments/simulations/{simulation_id}",
    query: [],
    conditional: false,
    answers: "record"
  }
]

/** What changes of enrichments would do. */
export const simulate: DerivedOperation = {
  command: "enrichments simulate",
  summary: "Show what changes of enrichments would do to the records that are there; nothing is stored or sent",
  method: "POST",
  path: "/v1/enrichments/simulate",
  query: [],
  body: [
    { name: "from", type: "text", description: "Only records of this day or a later one are told" },
    { name: "to", type: "text", description: "Only records of this day or an earlier one are told" },
    { name: "feedIds", type: "texts", description: "Only this feed is told; may be given several times" },
    { name: "asOf", type: "text", description: "The day that it is taken to be" }
  ],
  conditional: false,
  answers: "record"
}
