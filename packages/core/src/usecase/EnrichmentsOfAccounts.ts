/**
 * The enrichments whose configuration names an account, where that account becomes one with another or is parted from it.
 *
 * An id may stand anywhere in a configuration: in a list of accounts, as a value of a condition, inside of an expression. Ids
 * are never part of each other, so that each place is found by its text.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import type { AccountId } from "../bank/Account.ts"
import type { AccountJoin } from "../bank/AccountJoin.ts"
import type { Enrichment } from "../enrichment/Enrichment.ts"
import { makeEnrichmentChanges } from "../enrichment/EnrichmentChanges.ts"
import { EnrichmentStore } from "../enrichment/EnrichmentStore.ts"
import { Conflict } from "../failure/Failure.ts"
import { maskedConfig, restoredConfig } from "../message/DestinationSecrets.ts"
import * as Timestamp from "../shared/Timestamp.ts"
import { Tasks } from "../task/Tasks.ts"
import type { WorkspaceId } from "../workspace/Workspace.ts"

/** With one account in the place of another; a list names none of them twice. */
const renamed = (config: Schema.Json, from: AccountId, to: AccountId): Schema.Json => {
  if (typeof config === "string") return config.replaceAll(from, to)
  if (Array.isArray(config)) {
    const named = (config as ReadonlyArray<Schema.Json>).map((one) => renamed(one, from, to))
    return named.filter((one, at) => one !== to || named.indexOf(to) === at)
  }
  if (typeof config !== "object" || config === null) return config
  // What is said of the account that goes on counts, where both have an entry.
  return Object.fromEntries([
    ...Object.entries(config).map(([key, value]) => [key.replaceAll(from, to), renamed(value, from, to)] as const),
    ...Object.entries(config).flatMap(([key, value]) => (key === to ? [[key, renamed(value, from, to)] as const] : []))
  ])
}

/** The same text for the same configuration, in whatever order storage keeps its fields. */
const textOf = (config: Schema.Json): string =>
  JSON.stringify(config, (_, value: unknown) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : value
  )

const changedMeanwhile = new Conflict({
  code: "INVALID_STATE",
  message: "An enrichment that names the accounts was changed at the same moment. Try again",
  details: []
})

const make = Effect.gen(function* () {
  const store = yield* EnrichmentStore
  const { begin, revised } = yield* makeEnrichmentChanges

  const rewrite = Effect.fnUntraced(function* (before: Enrichment, config: Schema.Json) {
    const updatedAt = yield* Timestamp.now
    const after = yield* revised(before, { ...before, config, updatedAt, version: before.version + 1 })
    if (!(yield* store.update(after))) return yield* changedMeanwhile
    yield* begin(after)
  })

  /** Those that name the younger account name the older one. Returns what they said before, without what is secret in it. */
  const join = Effect.fnUntraced(function* (
    workspaceId: WorkspaceId,
    [elder, younger]: readonly [AccountId, AccountId]
  ) {
    const noted: Array<NonNullable<AccountJoin["enrichments"]>[number]> = []
    for (const before of yield* store.list([workspaceId])) {
      const config = renamed(before.config, younger, elder)
      if (textOf(config) === textOf(before.config)) continue
      noted.push({ enrichmentId: before.id, config: maskedConfig(before.config) })
      yield* rewrite(before, config)
    }
    return noted
  })

  /**
   * They say again what they said, unless somebody changed them since: those go on with the older account. Returns them; those
   * that are gone are left out.
   */
  const part = Effect.fnUntraced(function* ({ accountId, enrichments = [], joinedId, workspaceId }: AccountJoin) {
    const left: Array<Enrichment> = []
    for (const { config, enrichmentId } of enrichments) {
      const now = Option.getOrUndefined(yield* store.get(workspaceId, enrichmentId))
      if (now === undefined) continue
      const asJoined = textOf(renamed(config, joinedId, accountId)) === textOf(maskedConfig(now.config))
      if (asJoined) yield* rewrite(now, restoredConfig(config, now.config))
      else left.push(now)
    }
    return left
  })

  return { join, part }
})

/** Rewrites enrichments inside of the transaction that joins or parts accounts. */
export class EnrichmentsOfAccounts extends Context.Service<EnrichmentsOfAccounts>()(
  "@millrace/core/usecase/EnrichmentsOfAccounts",
  { make }
) {
  static readonly layer = Layer.effect(EnrichmentsOfAccounts, make).pipe(Layer.provide(Tasks.layer))
}
