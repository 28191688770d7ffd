/** A statement as a bank gives it: one account, as bytes of OFX. */
import { type GeneratedAccount, toOfx } from "../generate.ts"

export interface StatementFile {
  readonly number: string
  readonly currency: string
  readonly bytes: Uint8Array
}

export const statementFiles = (accounts: ReadonlyArray<GeneratedAccount>): ReadonlyArray<StatementFile> =>
  accounts.map((account) => ({
    number: account.number,
    currency: account.currency,
    bytes: new TextEncoder().encode(toOfx([account]))
  }))
