/** Banks and their accounts, as they are stored and shown. */
export { Account, type AccountId, type AccountRef, isOwnAccount } from "../bank/Account.ts"
export { AccountJoin, type AccountJoinId } from "../bank/AccountJoin.ts"
export { joinEvidence, type JoinEvidence, type JoinSuggestion } from "../bank/JoinSuggestions.ts"
export { parseIban } from "../bank/AccountReference.ts"
export { balanceAsOf } from "../bank/Balance.ts"
export { Bank, type BankId, type BankNature, natureOf, purgedUntil, trashedOf } from "../bank/Bank.ts"
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
  attemptAsOf,
  attemptDays,
  attemptMinutes,
  AttemptError,
  type AttemptEvent,
  attemptEvents,
  AttemptState,
  attemptStates,
  attemptTransitions,
  type ConnectionAttempt,
  type ConnectionAttemptId,
  lateHours,
  lateUntil,
  nextAttemptState
} from "../bank/ConnectionAttempt.ts"
export {
  type ConnectAddresses,
  CurrentConnectAddresses,
  landingOf,
  pageOf,
  webhookOf
} from "../bank/ConnectAddresses.ts"
export { existingFlow, payloadKindOf } from "../bank/ConnectFlow.ts"
export { redirectTo } from "../bank/RedirectUri.ts"
export type { ConnectionRequest, InteractiveRequest } from "../bank/ConnectionRequest.ts"
export type { ConnectionSubject } from "../bank/ConnectionSubject.ts"
export { Secrets, SecretsUnreadable } from "../bank/Secrets.ts"
export { providerResultStatuses } from "../bank/Institutions.ts"
export type { ExistingBank, Started } from "../bank/ConnectionStart.ts"
