/** The driver of a bank behind HTTP (`BankServer`). */
import {
  CheckpointInvalid,
  ConnectionGone,
  type ConnectionHealth,
  InvalidConnectPayload,
  MutationDuringPagination,
  type ObservedAccount,
  type ProviderDriver,
  type ProviderError,
  ProviderUnavailable,
  type SyncPage
} from "@millrace/core/provider"
import { plainCapabilities } from "@millrace/testing/fake"
import * as Effect from "effect/Effect"
import { instanceId, type ProviderAnswer } from "./BankServer.ts"
import { type Remote, post } from "./Remote.ts"

const errors: Partial<Record<ProviderError["_tag"], (message: string) => ProviderError>> = {
  MutationDuringPagination: (message) => new MutationDuringPagination({ message }),
  CheckpointInvalid: (message) => new CheckpointInvalid({ message }),
  ConnectionGone: (message) => new ConnectionGone({ message })
}

const errorOf = ({ _tag, message }: { readonly _tag: ProviderError["_tag"]; readonly message: string }) =>
  errors[_tag]?.(message) ?? new ProviderUnavailable({ message })

export const makeRemoteProvider = (bank: Remote): ProviderDriver => {
  const ask = <A>(path: string, body: unknown): Effect.Effect<A, ProviderError> =>
    post<ProviderAnswer<A>>(bank, path, body).pipe(
      Effect.mapError((error) => new ProviderUnavailable({ message: error.message })),
      Effect.flatMap((told) => ("error" in told ? Effect.fail(errorOf(told.error)) : Effect.succeed(told.value)))
    )
  return {
    kind: "demo",
    instanceId,
    name: "Remote",
    countryCodes: ["US"],
    capabilities: {
      ...plainCapabilities,
      dataTypes: {
        transactions: {
          changeModel: "delta",
          scope: "connection",
          idTrust: "perStatus",
          historyDays: 400,
          overlapDays: 10
        }
      },
      removal: "sync",
      freshnessSeconds: 300
    },
    listInstitutions: () => Effect.succeed([]),
    beginConnect: () => new InvalidConnectPayload({ message: "connections are made by their reference" }),
    completeConnect: ({ payload }) =>
      payload.kind === "provider_connection_id"
        ? Effect.succeed({
            connection: { ref: payload.connectionId, secrets: {} },
            // Banks of one institution with equal accounts are one bank.
            institution: {
              id: payload.connectionId,
              name: "Remote",
              countryCodes: ["US"],
              status: "ok" as const
            },
            bankType: "bank" as const
          })
        : new InvalidConnectPayload({ message: "connections are made by their reference" }),
    open: ({ connection: { ref } }) =>
      Effect.succeed({
        inspect: ask<ConnectionHealth>("/inspect", { ref }),
        listAccounts: ask<ReadonlyArray<ObservedAccount>>("/accounts", { ref }),
        pull: (request) => ask<SyncPage>("/pull", { ref, request }),
        revoke: Effect.succeed("done")
      })
  }
}
