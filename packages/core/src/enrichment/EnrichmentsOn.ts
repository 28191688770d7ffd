/** Whether enrichments work in this process. Where they do not, sources are read and nothing is delivered (decision 74). */
import * as Context from "effect/Context"

export const EnrichmentsOn = Context.Reference<boolean>("@millrace/core/enrichment/EnrichmentsOn", {
  defaultValue: () => true
})

/** What is answered where they would be needed. */
export const enrichmentsOffMessage = "Enrichments are switched off on this server: nothing is planned or delivered"
