/** The tasks about banks that a program runs. */
import { bankRemovals } from "./BankRemovalTask.ts"
import { pokes, pulledFeeds } from "./PokeTask.ts"
import { signChanges } from "./SignChangeTask.ts"

export const bankHandlers = [bankRemovals, pokes, pulledFeeds, signChanges] as const
