/** For authors of enrichment kinds: what a kind promises, and the pipeline that runs kinds over records. */
export { enrichmentResource } from "../enrichment/EnrichmentStore.ts"
export {
  type EnrichmentChange,
  enrichmentContract,
  type EnrichmentView,
  type NewEnrichment
} from "../enrichment/EnrichmentContract.ts"
export { Enrichment, type EnrichmentId } from "../enrichment/Enrichment.ts"
export { bundledKinds, Kinds, kindsOf } from "../enrichment/Kinds.ts"
export * as Pipeline from "../enrichment/Pipeline.ts"
export { authorities, type Capabilities, type Outcome, type RecordKind } from "../enrichment/kinds/Kind.ts"
