/** What enrichments find and a person should look at. */
import type * as Schema from "effect/Schema"

/**
 * Something that a person should look at. What people decide about it is kept for as long as it is found, and longer: one that
 * was dismissed stays so when it is found again.
 */
export interface PlannedFinding {
  /** Names it for ever within the enrichment: 1 to 500 characters. */
  readonly key: string
  /** One of `capabilities.finds`. */
  readonly kind: string
  /** One line for people, of at most 200 characters. */
  readonly title: string
  /** What it is about, such as `{ kind: "transaction", id }`. */
  readonly subject: { readonly kind: string; readonly id: string }
  readonly data: Readonly<Record<string, Schema.Json>>
}
