/** The lease of a bank: anyone who has it is the only one that reads its upstream and writes its ledger. */
import type { BankId } from "./Bank.ts"

/** The resource to take it by (`Leases.take`). The job engine takes it for the jobs that it starts. */
export const bankLease = (id: BankId): string => `bank:${id}`
