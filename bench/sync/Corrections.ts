/** Rows that a bank corrects afterwards. */
import type { GeneratedAccount } from "../generate.ts"

/** Every how many-th row is corrected at once: one percent. */
const every = 100

/**
 * The accounts after the n-th correction, which changes the memo of one row in a hundred, others than the 99
 * corrections before it.
 */
export const corrected = (accounts: ReadonlyArray<GeneratedAccount>, n: number): ReadonlyArray<GeneratedAccount> =>
  accounts.map((account) => ({
    ...account,
    rows: account.rows.map((row, i) => (i % every === n % every ? { ...row, memo: `Correction ${n}` } : row))
  }))

/** How many rows are corrected at once. */
export const correctedRows = (accounts: ReadonlyArray<GeneratedAccount>): number =>
  accounts.reduce((sum, { rows }) => sum + Math.floor(rows.length / every), 0)
