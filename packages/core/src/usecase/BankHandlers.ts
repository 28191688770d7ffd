/** The tasks about banks that a program runs. */
import { bankRemovals } from "./BankRemovalTask.ts"
import { connectionChecks } from "./ConnectionCheckTask.ts"

export const bankHandlers = [bankRemovals, connectionChecks] as const
