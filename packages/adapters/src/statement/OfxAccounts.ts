/** The accounts of an OFX file, once all of it is read. */
import type { Currency } from "@millrace/core"
import { type StatementAccount, StatementFault } from "@millrace/core/upload"
import { accountKey } from "./AccountKey.ts"
import { type AccountDraft, finish, merge } from "./OfxAccount.ts"
import type { OfxNotes } from "./OfxNotes.ts"
import { tagNames } from "./OfxTags.ts"
import { joinDistinct, tidy } from "./Wording.ts"

/** What a scan without a fault has found. */
export interface OfxStatements {
  readonly drafts: ReadonlyArray<AccountDraft>
  readonly notes: OfxNotes
  readonly baseCurrency: Currency.Currency
  /** By id: files list them at their end. */
  readonly securityNames: ReadonlyMap<string, string>
  /** How many movements of securities were not read, by element. */
  readonly skipped: ReadonlyMap<number, number>
}

/** The first row that could not be read, and why the others do not count either. */
const refusedFault = (notes: OfxNotes, why: string): StatementFault => {
  const { message, ...place } = notes.refused[0]!
  return new StatementFault({
    ...place,
    message: `${place.element}: ${message}; ${why}: correct it in the file, or get the file again`
  })
}

/** A statement without a currency has that of its rows, else that of the workspace. */
const settleCurrency = ({ baseCurrency, notes }: OfxStatements, draft: AccountDraft): void => {
  if (draft.currency === undefined) {
    const own = new Set(draft.rows.map((row) => row.currency))
    own.delete("" as Currency.Currency)
    const only = own.size === 1 ? own.values().next().value : undefined
    draft.currency = only ?? baseCurrency
    notes.assumed["currency"] = draft.currency
  }
  if (!draft.inherits) return
  for (const row of draft.rows) if (row.currency === "") row.currency = draft.currency
}

/** Rows of securities say which. */
const nameSecurities = (draft: AccountDraft, securityNames: ReadonlyMap<string, string>): void => {
  for (const [index, uniqueId] of draft.securities) {
    const row = draft.rows[index]!
    const security = securityNames.get(uniqueId) ?? ""
    row.originalDescription = joinDistinct(row.originalDescription, security === "" ? uniqueId : security)
    if (row.description === "") row.description = security === "" ? uniqueId : tidy(security)
  }
}

/** The accounts, or why rows that cannot be read spoil all of them. Statements of one account are put together. */
export const accountsOf = (input: OfxStatements): ReadonlyArray<StatementAccount> | StatementFault => {
  const { drafts, notes, securityNames, skipped } = input
  const { refused } = notes
  if (refused.length > 0 && drafts.every((draft) => draft.rows.length === 0)) {
    const others = refused.length === 1 ? "it is the only row" : `none of the ${refused.length} rows can be read`
    return refusedFault(notes, others)
  }
  if (skipped.size > 0) {
    let total = 0
    const parts: Array<string> = []
    for (const [tag, count] of skipped) {
      total += count
      parts.push(`${count} ${tagNames[tag]}`)
    }
    notes.say(`${total} movements of securities without cash effect give no row: ${parts.join(", ")}`)
  }
  if (drafts.length === 0) notes.say("the file holds no statement")
  const byKey = new Map<string, AccountDraft>()
  for (const draft of drafts) {
    settleCurrency(input, draft)
    nameSecurities(draft, securityNames)
    const key = accountKey(draft.bankId, draft.number, draft.type)
    const first = byKey.get(key)
    if (first === undefined) byKey.set(key, draft)
    else if (first.currency === draft.currency) merge(first, draft)
    else byKey.set(`${key}:${draft.currency}`, draft)
  }
  const accounts: Array<StatementAccount> = []
  for (const [key, draft] of byKey) {
    const account = finish(key, draft)
    const missing = account.difference ?? "0"
    if (missing !== "0" && draft.refused > 0) {
      return refusedFault(
        notes,
        `without the rows that cannot be read the balances do not tie out, ${missing} is missing`
      )
    }
    if (missing !== "0") notes.say(`the balances do not tie out: ${missing} is missing`)
    accounts.push(account)
  }
  return accounts
}
