/**
 * Sessions with the upstream of a bank: opened with the newest secrets that there are, and moved on to newer ones where
 * somebody else has got them meanwhile.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { NotFound } from "../failure/Failure.ts"
import type { Connection, SecretValues } from "../provider/Connect.ts"
import { isUsable } from "../provider/ConnectionHealth.ts"
import type { ProviderDriver, ProviderSession } from "../provider/Provider.ts"
import { ProviderUnavailable, type ProviderError } from "../provider/ProviderError.ts"
import { Providers, type ProviderNotAvailable } from "../provider/Providers.ts"
import { remembered } from "../provider/Remembered.ts"
import { CurrentPsu } from "../provider/Turns.ts"
import type { Ids } from "../shared/Ids.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import type { Bank } from "./Bank.ts"
import { BankStore, isSameConnection } from "./BankStore.ts"
import { saveWithRetry } from "./SaveWithRetry.ts"
import type { ConnectionSubjectStore } from "./ConnectionSubject.ts"
import { Subjects } from "./Subjects.ts"

export interface BankSession extends ProviderSession {
  readonly driver: ProviderDriver
}

/** A driver goes no further with secrets that nobody has kept. */
const unkept = new ProviderUnavailable({ message: "New secrets of the connection could not be kept", retryAfter: 60 })

/** The errors that newer secrets may mend. */
const mayBeOld = (error: ProviderError): boolean =>
  error._tag === "ReauthRequired" || error._tag === "ConnectionGone" || error._tag === "Misconfigured"

export class Sessions extends Context.Service<
  Sessions,
  {
    /**
     * Opens the connection of a bank for one run. Health and accounts are asked once in it. Secrets that rotate are kept
     * before the driver goes on; where another run has newer ones, what failed for their lack is asked again with those.
     */
    readonly open: (
      bank: Pick<Bank, "id" | "workspaceId">
    ) => Effect.Effect<BankSession, ProviderNotAvailable | ProviderError | NotFound | StorageUnavailable>
  }
>()("@millrace/core/bank/Sessions") {
  static readonly layer: Layer.Layer<Sessions, never, BankStore | ConnectionSubjectStore | Providers | Ids> =
    Layer.effect(
      Sessions,
      Effect.gen(function* () {
        const banks = yield* BankStore
        const providers = yield* Providers
        const subjects = yield* Subjects

        const stored = Effect.fnUntraced(function* ({ id }: Pick<Bank, "id">) {
          const found = yield* banks.connection(id)
          return Option.isSome(found) ? found.value : yield* new NotFound({ resource: "Connection" })
        })

        const open = Effect.fn("Sessions.open")(function* (bank: Pick<Bank, "id" | "workspaceId">) {
          const first = yield* stored(bank)
          const driver = yield* providers.get(first.instanceId)
          const subject = yield* subjects.of(bank.workspaceId, first.instanceId)
          const psu = yield* CurrentPsu
          let known: Connection = first.connection

          const keep = (secrets: SecretValues) =>
            saveWithRetry(
              Effect.suspend(() => banks.rotateSecrets(bank.id, known, { ...known.secrets, ...secrets }))
            ).pipe(
              Effect.map(Option.filter(({ ref }) => ref === known.ref)),
              Effect.map(Option.map((now) => void (known = now))),
              Effect.asVoid,
              Effect.mapError(() => unkept)
            )

          const openKnown = Effect.suspend(() =>
            driver.open({ connection: known, subject, keep, ...(psu === undefined ? {} : { psu }) })
          )
          let session = yield* openKnown

          /** Whether there are newer secrets than those that the session was opened with; then it is opened again. */
          const moveOn = Effect.gen(function* () {
            const now = yield* Effect.option(banks.connection(bank.id))
            const connection = Option.flatten(now)
            if (Option.isNone(connection) || connection.value.instanceId !== first.instanceId) return false
            const newer = connection.value.connection
            if (isSameConnection(newer, known)) return false
            known = newer
            session = yield* openKnown
            return true
          })

          const current = <A>(ask: (session: ProviderSession) => Effect.Effect<A, ProviderError>) =>
            Effect.suspend(() => ask(session)).pipe(
              Effect.catchIf(mayBeOld, (error) =>
                Effect.flatMap(moveOn, (moved) => (moved ? Effect.suspend(() => ask(session)) : Effect.fail(error)))
              )
            )

          const { refresh, unreadAccounts } = session
          const opened: BankSession = {
            driver,
            inspect: remembered(
              Effect.flatMap(
                current((one) => one.inspect),
                (health) =>
                  isUsable(health.status)
                    ? Effect.succeed(health)
                    : Effect.flatMap(moveOn, (moved) =>
                        moved ? Effect.suspend(() => session.inspect) : Effect.succeed(health)
                      )
              )
            ),
            listAccounts: remembered(current((one) => one.listAccounts)),
            ...(unreadAccounts === undefined
              ? {}
              : { unreadAccounts: remembered(current((one) => one.unreadAccounts ?? unreadAccounts)) }),
            pull: (request) => current((one) => one.pull(request)),
            ...(refresh === undefined
              ? {}
              : { refresh: (dataTypes) => current((one) => (one.refresh ?? refresh)(dataTypes)) }),
            revoke: current((one) => one.revoke)
          }
          return opened
        })

        return Sessions.of({ open })
      })
    ).pipe(Layer.provide(Subjects.layer))
}
