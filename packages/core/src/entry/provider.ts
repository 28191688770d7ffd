/** For authors of provider drivers: what a driver promises, its capabilities, what it observes and the errors that it may give. */
export { AccountType, accountTypes, isLiability } from "../provider/AccountType.ts"
export { BankType, bankTypes } from "../provider/BankType.ts"
export { UpstreamPatience } from "../provider/Budgeted.ts"
export type { Capabilities, ChangeModel, DataTypeCapability, IdTrust } from "../provider/Capabilities.ts"
export { type ConnectionHealth, ConnectionStatus, isUsable } from "../provider/ConnectionHealth.ts"
export { askJson, readJson, refusalOf, unanswered } from "../provider/JsonUpstream.ts"
export type {
  BeginConnect,
  ClientStep,
  CompletedConnection,
  Connection,
  ConnectPayload,
  Coverage,
  HistoryStart,
  Institution,
  ObservedAccount,
  ObservedRecord,
  PageEnd,
  ProviderDriver,
  PullRequest,
  SyncPage,
  UpstreamSays
} from "../provider/Provider.ts"
export {
  CheckpointInvalid,
  ConnectionGone,
  ConsentRequired,
  failureOf,
  InstitutionUnavailable,
  InvalidConnectPayload,
  Misconfigured,
  MutationDuringPagination,
  NotReady,
  ProtocolViolation,
  type ProviderError,
  ProviderUnavailable,
  RangeNotAllowed,
  RateLimited,
  ReauthRequired,
  Unsupported
} from "../provider/ProviderError.ts"
export {
  configured,
  factoryFaults,
  type InstanceSettings,
  type ProviderFactory,
  type ProviderMaking
} from "../provider/ProviderFactory.ts"
export { kindFault, ProviderInstanceId, ProviderKind } from "../provider/ProviderKind.ts"
export { ProviderNotAvailable, Providers } from "../provider/Providers.ts"
export { Secret } from "../shared/Secret.ts"
