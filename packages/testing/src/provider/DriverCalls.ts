/** Asking a driver without a kernel: sessions of nobody, and what connecting needs. */
import {
  type BeginConnect,
  type Capabilities,
  type CompleteConnect,
  type Connection,
  type ConnectPayload,
  type KeepSecrets,
  type OpenSession,
  type ProviderDriver,
  type ProviderError,
  type ProviderSession,
  type PullRequest,
  type SecretValues,
  type Subject
} from "@millrace/core/provider"
import * as Effect from "effect/Effect"

export const testSubject: Subject = { ref: "ws_00000000000000000000000000", secrets: {} }

/** Keeps secrets in an object that the test looks into. */
export const keptIn =
  (kept: Record<string, string>): KeepSecrets =>
  (secrets: SecretValues) =>
    Effect.sync(() => void Object.assign(kept, secrets))

const forgetful: KeepSecrets = () => Effect.void

export const openFor = (
  driver: ProviderDriver,
  connection: Connection,
  over: Partial<OpenSession> = {}
): Effect.Effect<ProviderSession, ProviderError> =>
  driver.open({ connection, subject: testSubject, keep: forgetful, ...over })

/** Begins a connection as the kernel would, with what the test changes. */
export const beginOf = (over: Partial<BeginConnect> = {}): BeginConnect => ({
  attemptId: "cat_00000000000000000000000000",
  subject: testSubject,
  email: "person@example.com",
  options: {},
  keepSubject: forgetful,
  keepAttempt: forgetful,
  ...over
})

export const completeOf = (payload: ConnectPayload, over: Partial<CompleteConnect> = {}): CompleteConnect => ({
  attemptId: "cat_00000000000000000000000000",
  subject: testSubject,
  attemptSecrets: {},
  payload,
  keepSubject: forgetful,
  keepAttempt: forgetful,
  ...over
})

/** A session for each call. */
export const eachCall = (driver: ProviderDriver) => ({
  inspect: (connection: Connection) => Effect.flatMap(openFor(driver, connection), ({ inspect }) => inspect),
  listAccounts: (connection: Connection) =>
    Effect.flatMap(openFor(driver, connection), ({ listAccounts }) => listAccounts),
  pull: (connection: Connection, request: PullRequest) =>
    Effect.flatMap(openFor(driver, connection), ({ pull }) => pull(request)),
  revoke: (connection: Connection) => Effect.flatMap(openFor(driver, connection), ({ revoke }) => revoke)
})

/** The driver, in whose sessions the test changes something. */
export const withSessions = (
  driver: ProviderDriver,
  change: (session: ProviderSession, request: OpenSession) => Partial<ProviderSession>
): ProviderDriver => ({
  ...driver,
  open: (request) => Effect.map(driver.open(request), (session) => ({ ...session, ...change(session, request) }))
})

/** What a driver of tests can do besides giving rows. */
export const plainCapabilities = {
  connectFlow: "token",
  history: { defaultDays: 90, maxDays: 90 },
  pendingModel: "unlinked",
  reconnectKeepsIds: true,
  removal: "local",
  freshnessSeconds: 0,
  webhooks: false
} as const satisfies Omit<Capabilities, "dataTypes">
