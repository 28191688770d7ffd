/** Accounts of a list, one by one: an account that cannot be read is named, and keeps no other from being read. */
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as SchemaParser from "effect/SchemaParser"
import { placeOf, type Translated } from "./ReadRows.ts"

/** An account that the upstream lists in a form that cannot be read: it is there, and nothing else is known of it. */
export interface UnreadAccount {
  /** `""` where it cannot be seen. One that we do not hold may be any of those that are not listed otherwise. */
  readonly providerAccountId: string
  /** Its name for people, where it can be seen. */
  readonly name?: string
  /** The field and what is wrong with it, such as `balance does not have the agreed form`. */
  readonly reason: string
}

export interface AccountsRead<A> {
  readonly accounts: ReadonlyArray<A>
  readonly unread: ReadonlyArray<UnreadAccount>
}

/** Members of an account by which it is known, whether or not the rest of it can be read; the first that is there counts. */
export interface AccountKeys {
  readonly id: readonly [string, ...ReadonlyArray<string>]
  readonly name: ReadonlyArray<string>
}

const textIn = (row: unknown, keys: ReadonlyArray<string>): string => {
  if (typeof row !== "object" || row === null) return ""
  for (const key of keys) {
    const value = (row as Readonly<Record<string, unknown>>)[key]
    const text = typeof value === "number" ? String(value) : typeof value === "string" ? value.trim() : ""
    if (text !== "" && text.length <= 256) return text
  }
  return ""
}

/** An account as far as it can be told. */
export const unreadAccount = (row: unknown, keys: AccountKeys, reason: string): UnreadAccount => {
  const name = textIn(row, keys.name)
    .replaceAll(/\p{Cc}+/gu, " ")
    .toWellFormed()
    .slice(0, 80)
    .trim()
  return { providerAccountId: textIn(row, keys.id), ...(name === "" ? {} : { name }), reason }
}

/**
 * Decodes accounts, and translates each. One that is listed twice with the same members is one; with other members nobody
 * knows which of the two is true.
 */
export const readAccounts = <A, B = A>(
  rows: ReadonlyArray<unknown>,
  schema: Schema.Codec<A, unknown>,
  keys: AccountKeys,
  translate: (row: A) => Translated<B> = (row) => Result.succeed(row as unknown as B)
): AccountsRead<B> => {
  const decode = SchemaParser.decodeUnknownResult(schema)
  const accounts: Array<B> = []
  const unread: Array<UnreadAccount> = []
  const forms = new Map<string, Set<string>>()
  for (const row of rows) {
    const id = textIn(row, keys.id)
    if (id !== "") forms.set(id, (forms.get(id) ?? new Set()).add(JSON.stringify(row)))
  }
  const done = new Set<string>()
  for (const row of rows) {
    const id = textIn(row, keys.id)
    if (done.has(id)) continue
    if (id !== "") done.add(id)
    if ((forms.get(id)?.size ?? 1) > 1) {
      unread.push(unreadAccount(row, keys, `${keys.id[0]} is listed twice`))
      continue
    }
    const read = Result.flatMap(
      Result.mapError(decode(row), (issue) => `${placeOf(issue)} does not have the agreed form`),
      translate
    )
    if (Result.isSuccess(read)) accounts.push(read.success)
    else unread.push(unreadAccount(row, keys, read.failure))
  }
  return { accounts, unread }
}
