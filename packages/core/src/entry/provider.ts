/** For authors of provider drivers: what a driver promises, its capabilities, what it observes and the errors that it may give. */
export { AccountType, accountTypes, isLiability } from "../provider/AccountType.ts"
export { BankType, bankTypes } from "../provider/BankType.ts"
export type {
  Capabilities,
  ChangeModel,
  DataTypeCapability,
  IdTrust,
  LimitReading,
  RequestLimit
} from "../provider/Capabilities.ts"
export {
  type BeginConnect,
  type ClientStep,
  type CompleteConnect,
  type CompletedConnection,
  type Connection,
  type ConnectOptions,
  connectOptions,
  type ConnectPayload,
  type Institution,
  type InstitutionQuery,
  type KeepSecrets,
  type PsuContext,
  type SecretValues,
  stepOfFlow,
  type Subject
} from "../provider/Connect.ts"
export {
  type ConnectionHealth,
  ConnectionStatus,
  isUsable,
  type KeptStatus,
  statusSources
} from "../provider/ConnectionHealth.ts"
export { hintSeconds, retryAfterSeconds } from "../provider/Hint.ts"
export { type JsonClient, makeJsonClient, readJson, refusalOf, unanswered } from "../provider/JsonUpstream.ts"
export {
  type AccountKeys,
  type AccountsRead,
  readAccounts,
  unreadAccount,
  type UnreadAccount
} from "../provider/ReadAccounts.ts"
export { readRecords, readRows, type Translated } from "../provider/ReadRows.ts"
export type {
  Coverage,
  HistoryStart,
  ObservedAccount,
  ObservedRecord,
  OpenSession,
  PageEnd,
  PartCoverage,
  ProviderDriver,
  ProviderSession,
  PullRequest,
  RefreshStarted,
  SyncPage,
  UpstreamSays
} from "../provider/Provider.ts"
export {
  CheckpointInvalid,
  ConnectionGone,
  ConsentRequired,
  DuplicateConnection,
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
  Unsupported,
  UserCancelled
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
export { remembered } from "../provider/Remembered.ts"
export { CurrentPsu, UpstreamPatience } from "../provider/Turns.ts"
export { type InboundWebhook, type Poke, WebhookRefused, webhookOfAttempt } from "../provider/Webhook.ts"
export { Secret } from "../shared/Secret.ts"
