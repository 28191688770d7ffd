/** What enrichments worked out, and what people decided about it (enrichments A8, C10, C12). */
import { entriesOf, type Entry, reads, sets, writes } from "./Operation.ts"

const read = (summary: string, tool: string, command: string): Entry => ({
  summary,
  scopes: { anyOf: ["enrichments:read"] },
  role: "viewer",
  app: "own",
  idempotency: "read",
  tool: reads(tool),
  command
})

const decide = (summary: string, tool: string, command: string): Entry => ({
  summary,
  scopes: { anyOf: ["enrichments:write"] },
  role: "editor",
  app: "own",
  idempotency: "key",
  tool: writes(tool),
  command
})

export const insightOperations = entriesOf("insights", {
  listBudgetPeriods: read(
    "List the periods of a budget, newest first: planned, carried over, spent and left of each line",
    "list_budget_periods",
    "enrichments periods"
  ),
  listSeries: read("List the series of payments that an enrichment found", "list_series", "enrichments series list"),
  listLinks: read(
    "List which records an enrichment ties together, and how sure it is",
    "list_links",
    "enrichments links"
  ),
  listWithheld: read(
    "List the rows that filters keep from the destination of a feed: those that wait and those that are dropped, and why",
    "list_withheld",
    "feeds withheld"
  )
})

export const decisionOperations = entriesOf("decisions", {
  listDecisions: read(
    "List what people decided about what an enrichment says, newest first",
    "list_decisions",
    "enrichments decisions list"
  ),
  undoDecision: decide("Take a decision back", "undo_decision", "enrichments decisions undo"),
  updateSeries: {
    ...decide("Name a series of payments", "update_series", "enrichments series update"),
    idempotency: "inherent",
    body: "required",
    tool: sets("update_series")
  },
  mergeSeries: {
    ...decide("Say that two series of payments are one", "merge_series", "enrichments series merge"),
    body: "required"
  },
  splitSeries: {
    ...decide("Begin a series of its own with one of its payments", "split_series", "enrichments series split"),
    body: "required"
  },
  mergeMerchants: {
    ...decide("Call a merchant otherwise, or say that two are one", "merge_merchants", "enrichments merchants merge"),
    body: "required"
  }
})
