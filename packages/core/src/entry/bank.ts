/** Banks and their accounts, as they are stored and shown. */
export { Account, type AccountId, type AccountRef } from "../bank/Account.ts"
export { parseIban } from "../bank/AccountReference.ts"
export { balanceAsOf } from "../bank/Balance.ts"
export { Bank, type BankId, type BankNature, natureOf, purgedAt, purgedUntil } from "../bank/Bank.ts"
export { bankLease } from "../bank/BankLease.ts"
export {
  type BankChange,
  bankEvents,
  type BankLife,
  BankRemoval,
  type BankState,
  bankStates,
  bankTransitions,
  isLive,
  nextBankState,
  removalWaits,
  stateOf
} from "../bank/BankRemoval.ts"
export {
  type AttemptEvent,
  attemptEvents,
  attemptStates,
  attemptTransitions,
  type ConnectionAttempt,
  type ConnectionAttemptId,
  nextAttemptState
} from "../bank/ConnectionAttempt.ts"
export { Secrets, SecretsUnreadable } from "../bank/Secrets.ts"
