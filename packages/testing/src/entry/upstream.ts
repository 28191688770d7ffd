/** Fake upstreams: servers on this machine that speak the wire format of a provider, and keep the truth it must end up with. */
export type { FakeAnswer, FakeRequest } from "../upstream/FakeRequest.ts"
export { type FakeProtocol, FakeServer, type Interruption, startFakeServer } from "../upstream/FakeServer.ts"
export { fakeSaltEdge } from "../upstream/saltedge/FakeSaltEdge.ts"
export type { FakeSaltEdgeOptions } from "../upstream/saltedge/SaltEdgeState.ts"
export { fakeSnapTrade } from "../upstream/snaptrade/FakeSnapTrade.ts"
export type { FakeSnapTradeOptions } from "../upstream/snaptrade/SnapTradeState.ts"
export { type FakeTime, fakeTime } from "../upstream/FakeTime.ts"
export {
  type FakeConnection,
  type FakeUpstream,
  type FakeWebhooks,
  type RefusedPayload,
  refusedPayloads,
  type SignedWebhook,
  type SignIn,
  type WebhookEvent,
  type WebhookForgery
} from "../upstream/FakeUpstream.ts"
export type { StandInOptions } from "../upstream/StandIn.ts"
export { fakeFiskil } from "../upstream/fiskil/FakeFiskil.ts"
export { type Breakage, breakages, type Incident, type IncidentPlan, type Refusal } from "../upstream/Incident.ts"
export { exactNumber, mutatedJson, withUnknownEnums, withUnknownFields } from "../upstream/JsonMutator.ts"
export { move, type MoveOptions } from "../upstream/LedgerMoves.ts"
export { fakeQuiltt, quilttConnectorId } from "../upstream/quiltt/FakeQuiltt.ts"
export { type Excess, type RequestLimit, RequestLimits } from "../upstream/RequestLimits.ts"
export {
  type LedgerChange,
  type LedgerOptions,
  type MakeId,
  type RowInput,
  type Settlement,
  TrueLedger
} from "../upstream/TrueLedger.ts"
export type {
  MoveKind,
  TrueAccount,
  TrueHolding,
  TrueInstitution,
  TrueLoan,
  TrueOrder,
  TrueRow,
  TrueSecurity,
  TrueTrade
} from "../upstream/TrueRecord.ts"
export { sandboxLedger } from "../upstream/plaid/SandboxUser.ts"
export { PlaidFake, type PlaidFakeOptions, startPlaid } from "../upstream/plaid/PlaidFake.ts"
export { SimpleFinFake, type SimpleFinFakeOptions, startSimpleFin } from "../upstream/simplefin/SimpleFinFake.ts"
export { deskPath } from "../trial/TrialDesk.ts"
export { trials } from "../trial/Trials.ts"
