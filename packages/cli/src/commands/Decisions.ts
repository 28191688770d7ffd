/** What enrichments worked out, and what people decide about it: commands below `enrichments`. */
import type { DerivedField, DerivedOperation } from "./Derived.ts"

const path = "/v1/enrichments/{enrichment_id}"
const series = `${path}/series/{series_id}`

const pages: ReadonlyArray<DerivedField> = [
  { name: "limit", type: "integer", description: "Records per page" },
  { name: "cursor", type: "text", description: "Where the page begins, from an earlier answer" }
]

const lists = (command: string, summary: string, of: string, query: ReadonlyArray<DerivedField>): DerivedOperation => ({
  command,
  summary,
  method: "GET",
  path: `${path}/${of}`,
  query,
  conditional: false,
  answers: "list"
})

const decides = (
  command: string,
  summary: string,
  where: string,
  body?: ReadonlyArray<DerivedField>
): DerivedOperation => ({
  command,
  summary,
  method: "POST",
  path: where,
  query: [],
  ...(body === undefined ? {} : { body }),
  conditional: false,
  answers: "record"
})

export const decisions: ReadonlyArray<DerivedOperation> = [
  lists(
    "enrichments periods",
    "List the periods of a budget, newest first: planned, carried over, spent and left of each line",
    "periods",
    [
      { name: "from", type: "text", description: "Only periods that end on this day or later" },
      { name: "to", type: "text", description: "Only periods that begin on this day or earlier" }
    ]
  ),
  lists("enrichments series list", "List the series of payments that an enrichment found", "series", []),
  lists("enrichments links", "List which records an enrichment ties together, and how sure it is", "links", [
    {
      name: "state",
      type: "text",
      choices: ["suggested", "auto", "confirmed", "broken"],
      description: "suggested, auto, confirmed or broken"
    },
    ...pages
  ]),
  lists(
    "enrichments decisions list",
    "List what people decided about what an enrichment says, newest first",
    "decisions",
    pages
  ),
  decides("enrichments decisions undo", "Take a decision back", `${path}/decisions/{decision_id}/undo`),
  {
    ...decides("enrichments series update", "Name a series of payments", series, [
      { name: "name", type: "text", description: "What people call it" }
    ]),
    method: "PUT"
  },
  decides("enrichments series merge", "Say that two series of payments are one", `${series}/merge`, [
    { name: "seriesId", type: "text", description: "The other series" }
  ]),
  decides("enrichments series split", "Begin a series of its own with one of its payments", `${series}/split`, [
    { name: "recordId", type: "text", description: "The payment with which the second series begins" }
  ]),
  decides(
    "enrichments merchants merge",
    "Call a merchant otherwise, or say that two are one",
    `${path}/merchants/merge`,
    [
      { name: "from", type: "text", description: "What it is called now" },
      { name: "into", type: "text", description: "What it is called from now on" }
    ]
  )
]
