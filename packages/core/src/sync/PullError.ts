/** What ends a pull, besides storage. */
import * as Schema from "effect/Schema"
import type { Fenced } from "../job/JobStore.ts"
import type { LeaseLost } from "../storage/Lease.ts"
import type { ProviderError } from "../provider/ProviderError.ts"
import type { ProviderNotAvailable } from "../provider/Providers.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"

/** The set changed under us on every try (limits.paginationRestarts). */
export class PaginationUnstable extends Schema.TaggedError<PaginationUnstable>()("PaginationUnstable", {
  message: Schema.String
}) {}

export type PullError =
  | ProviderError
  | ProviderNotAvailable
  | PaginationUnstable
  | LeaseLost
  | Fenced
  | StorageUnavailable
