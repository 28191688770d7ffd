/** Enrichments (specification 3). */
import { collectionSurface } from "./CollectionOperations.ts"
import { entriesOf, reads, removes, sets, writes } from "./Operation.ts"

export const enrichmentSurface = collectionSurface({
  one: "Enrichment",
  many: "Enrichments",
  about: "Rules and other kinds that change records on their way to a destination.",
  scopes: { read: "enrichments:read", write: "enrichments:write" }
})

export const enrichmentOperations = enrichmentSurface.entries

export const findingOperations = entriesOf("findings", {
  listFindings: {
    summary: "List what an enrichment found, newest first",
    scopes: { anyOf: ["enrichments:read"] },
    role: "viewer",
    app: "own",
    idempotency: "read",
    tool: reads("list_findings"),
    command: "enrichments findings list"
  },
  updateFinding: {
    summary: "Decide about a finding",
    scopes: { anyOf: ["enrichments:write"] },
    role: "editor",
    app: "own",
    idempotency: "inherent",
    body: "required",
    tool: sets("update_finding"),
    command: "enrichments findings update"
  }
})

/** Why values of records are what they are, and people's own word about them. */
export const valueOperations = entriesOf("values", {
  explainRecord: {
    summary: "Explain every value of a record: all that is said of it, and whose word holds",
    scopes: { anyOf: ["enrichments:read"] },
    role: "viewer",
    app: "own",
    idempotency: "read",
    tool: reads("explain_record"),
    command: "records explain"
  },
  setRecordFields: {
    summary: "Say what fields of a record hold, or lock them as they are: no enrichment overrules it",
    scopes: { anyOf: ["banks:write"] },
    role: "editor",
    app: "own",
    idempotency: "inherent",
    body: "required",
    tool: sets("set_record_fields"),
    command: "records set"
  },
  clearRecordFields: {
    summary: "Take back what a person said of fields of a record",
    scopes: { anyOf: ["banks:write"] },
    role: "editor",
    app: "own",
    idempotency: "inherent",
    tool: removes("clear_record_fields"),
    command: "records clear"
  },
  undoChange: {
    summary:
      "Silence an enrichment about a field of a record, or about all of it, or take a link apart; or let it speak again",
    scopes: { anyOf: ["enrichments:write"] },
    role: "editor",
    app: "own",
    idempotency: "key",
    body: "required",
    tool: writes("undo_change"),
    command: "records undo"
  },
  undoRun: {
    summary: "Take back all that enrichments changed in a job; or let them speak again",
    scopes: { anyOf: ["enrichments:write"] },
    role: "editor",
    app: "own",
    idempotency: "key",
    body: "optional",
    tool: writes("undo_run"),
    command: "jobs undo"
  }
})

/** What enrichments would do. */
export const previewOperations = entriesOf("previews", {
  previewEnrichment: {
    summary: "Show what the enrichments of a feed would make of records; nothing is stored or sent",
    scopes: { anyOf: ["enrichments:read"] },
    role: "viewer",
    app: "own",
    idempotency: "read",
    body: "required",
    tool: reads("preview_enrichment"),
    command: "feeds preview"
  },
  simulateEnrichments: {
    summary: "Show what changes of enrichments would do to the records that are there; nothing is stored or sent",
    scopes: { anyOf: ["enrichments:read"] },
    role: "viewer",
    app: "own",
    idempotency: "read",
    body: "required",
    tool: reads("simulate_enrichments"),
    command: "enrichments simulate"
  },
  getSimulation: {
    summary: "Read a simulation that is played in the background: how far it came, and what it found",
    scopes: { anyOf: ["enrichments:read"] },
    role: "viewer",
    app: "own",
    idempotency: "read",
    tool: reads("get_simulation"),
    command: "enrichments simulations get"
  },
  cancelSimulation: {
    summary: "Play a simulation no further",
    scopes: { anyOf: ["enrichments:read"] },
    role: "viewer",
    app: "own",
    idempotency: "inherent",
    tool: sets("cancel_simulation"),
    command: "enrichments simulations cancel"
  }
})
