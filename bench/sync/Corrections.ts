/** Rows that a bank corrects afterwards. */
import type { GeneratedAccount } from "../generate.ts"

/** Every how many-th row is corrected at once: one percent. */
export const every = 100

/**
 * The accounts after the n-th correction, which changes the memo of one row in a hundred, others than the 99
 * corrections before it.
 */
export const corrected = (accounts: ReadonlyArray<GeneratedAccount>, n: number): ReadonlyArray<GeneratedAccount> =>
  accounts.map((account) => ({
    ...account,
    rows: account.rows.map((row, i) => (i % every === n % every ? { ...row, memo: `Correction ${n}` } : row))
  }))
