/**
 * Since when enrichments look at accounts, for kinds that decide themselves what is news (`SetKind.begins`).
 *
 * What the ledger held of an account when an enrichment first looked at it is the past. It is kept beside what enrichments were
 * planned under, by enrichment and account, as what it began with and the last change number of then.
 */
import type { AccountId } from "../bank/Account.ts"
import type { AnalysisHead } from "./AnalysisStore.ts"
import { revisionOf, type SetStep } from "./SetStep.ts"

const separator = "@"

/** Whether a key of `AnalysisHead.planned` is one of these. */
export const isBeginning = (key: string): boolean => key.includes(separator)

const keyOf = (enrichmentId: string, accountId: AccountId): string => `${enrichmentId}${separator}${accountId}`

/** The change number up to which an account is the past of an enrichment; `undefined` where it was never looked at under it. */
export const pastUpTo = (
  planned: AnalysisHead["planned"],
  { enrichment, tag }: SetStep,
  accountId: AccountId
): number | undefined => {
  const [begun, upTo] = (planned[keyOf(enrichment.id, accountId)] ?? "").split(separator)
  return begun === revisionOf(tag) && upTo !== undefined ? Number(upTo) : undefined
}

/** All of them, with those that begin now. */
export const beginnings = (
  planned: AnalysisHead["planned"],
  steps: ReadonlyArray<SetStep>,
  looked: ReadonlyArray<{
    readonly accountId: AccountId
    /** Ids of the enrichments that look at it. */
    readonly by: { readonly has: (enrichmentId: string) => boolean }
    readonly lastChange: number
  }>,
  left: ReadonlyArray<AccountId>
): AnalysisHead["planned"] => {
  const own = steps.filter(({ kind }) => kind.begins !== undefined)
  const ids = new Set<string>(own.map(({ enrichment }) => enrichment.id))
  const gone = new Set<string>(left)
  const kept = Object.entries(planned).filter(([key]) => {
    const [enrichmentId = "", accountId = ""] = key.split(separator)
    return isBeginning(key) && ids.has(enrichmentId) && !gone.has(accountId)
  })
  const begun = own.flatMap((step) =>
    looked.flatMap(({ accountId, by, lastChange }) =>
      by.has(step.enrichment.id) && pastUpTo(planned, step, accountId) === undefined
        ? [[keyOf(step.enrichment.id, accountId), `${revisionOf(step.tag)}${separator}${lastChange}`] as const]
        : []
    )
  )
  return Object.fromEntries([...kept, ...begun])
}
