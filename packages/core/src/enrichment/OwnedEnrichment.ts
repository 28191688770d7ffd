/** The enrichment that somebody asks something of, where they may. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { reach } from "../access/Access.ts"
import type { Caller } from "../access/Caller.ts"
import type { OperationId } from "../access/catalogue.generated.ts"
import { Unprocessable } from "../failure/Failure.ts"
import type { Enrichment, EnrichmentId } from "./Enrichment.ts"
import { EnrichmentStore } from "./EnrichmentStore.ts"
import type { EnrichmentType } from "./kinds/EnrichmentType.ts"

export const makeOwnedEnrichment = Effect.map(EnrichmentStore, (enrichments) =>
  Effect.fnUntraced(function* (caller: Caller, operation: OperationId, id: EnrichmentId) {
    const found = yield* enrichments.get(caller.principal.workspace.id, id)
    const owned = Option.map(found, ({ createdByActor, workspaceId }) => ({
      workspaceId,
      ...(createdByActor === undefined ? {} : { createdBy: createdByActor })
    }))
    yield* reach(caller, operation, "Enrichment", owned)
    return Option.getOrThrow(found)
  })
)

/** Fails where the enrichment is of another type than the operation is about. */
export const ofType = ({ type }: Enrichment, wanted: EnrichmentType) => {
  if (type === wanted) return Effect.void
  const message = `is of type ${type}: this is for ${wanted} alone`
  return Effect.fail(
    new Unprocessable({
      code: "VALIDATION_FAILED",
      message: `The enrichment ${message}`,
      details: [{ field: "enrichment_id", message }]
    })
  )
}
