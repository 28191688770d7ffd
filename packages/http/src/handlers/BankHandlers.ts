import * as Effect from "effect/Effect"
import { Families } from "@millrace/core/access"
import { type Bank, trashedOf } from "@millrace/core/bank"
import { BankRemovals, Banks, Institutions } from "@millrace/core/kernel"
import { deleted, many, one } from "../api/Envelope.ts"
import { toWire as accountToWire } from "./AccountHandlers.ts"
import { attemptToWire, startToWire, stepToWire, withoutPath } from "./ConnectionHandlers.ts"
import { badgeOf } from "./Family.ts"
import { serve } from "./Serve.ts"

const removalOf = ({ removal }: Bank) =>
  removal === undefined
    ? {}
    : {
        removalStatus: {
          state: removal.state,
          stage: removal.stage,
          ...(removal.reason === undefined ? {} : { reason: removal.reason })
        }
      }

/** A bank as it is sent. Names every field, so that nothing internal can slip through. */
const toWire = (bank: Bank) => ({
  id: bank.id,
  name: bank.name,
  source: bank.source,
  type: bank.type,
  order: bank.order,
  ...(bank.icon === undefined ? {} : { icon: bank.icon }),
  ...(bank.connectionStatus === undefined ? {} : { connectionStatus: bank.connectionStatus }),
  ...(bank.institutionId === undefined ? {} : { institutionId: bank.institutionId }),
  ...(bank.providerInstanceId === undefined ? {} : { providerInstanceId: bank.providerInstanceId }),
  createdAt: bank.createdAt,
  updatedAt: bank.updatedAt,
  links: { self: `/v1/banks/${bank.id}`, accounts: `/v1/banks/${bank.id}/accounts` }
})

export const layer = serve(
  "banks",
  Effect.gen(function* () {
    const banks = yield* Banks
    const removals = yield* BankRemovals
    const institutions = yield* Institutions
    const families = yield* Families
    return {
      listBanks: Effect.fnUntraced(function* ({ caller, query, self }) {
        const reading = yield* families.reading(caller, query.scope)
        const badge = badgeOf(reading, query.scope)
        const rows = yield* banks.list(reading, query.deleted === true ? "deleted" : "live")
        return many(
          self,
          rows.map((bank) => ({
            ...toWire(bank),
            ...trashedOf(bank),
            ...badge(bank.workspaceId)
          }))
        )
      }),
      getBank: ({ caller, ids }) =>
        Effect.map(banks.get(caller, ids.bank), (bank) => one({ ...toWire(bank), ...removalOf(bank) })),
      deleteBank: ({ caller, ids, query }) =>
        Effect.map(removals.remove(caller, ids.bank, { permanently: query.permanent === true }), (state) =>
          state === "deleted" ? deleted : one({ status: "removing" as const })
        ),
      restoreBank: ({ caller, ids }) => Effect.map(removals.restore(caller, ids.bank), (bank) => one(toWire(bank))),
      updateBank: ({ caller, ids, payload }) =>
        Effect.map(banks.update(caller, ids.bank, payload), (bank) => one(toWire(bank))),
      refreshBank: ({ caller, ids, payload: { dataTypes = [] } }) =>
        Effect.map(banks.ask(caller, ids.bank, dataTypes), one),
      startConnection: ({ caller, payload }) =>
        withoutPath(Effect.map(banks.start(caller, payload), (started) => one(startToWire(started)))),
      completeConnection: ({ caller, payload: { attemptId, payload, providerInstanceId: instanceId } }) =>
        withoutPath(
          Effect.map(
            banks.connect(caller, {
              instanceId,
              started: true,
              payload,
              ...(attemptId === undefined ? {} : { attemptId })
            }),
            ({ accounts, bank, created }) => ({
              success: true as const,
              bankId: bank.id,
              created,
              accounts: accounts.map(accountToWire(bank))
            })
          )
        ),
      reauthConnection: ({ caller, ids, payload }) =>
        Effect.map(banks.reauth(caller, ids.bank, payload), (started) => one(stepToWire(started))),
      getConnectionAttempt: ({ caller, ids }) =>
        Effect.map(banks.attempt(caller, ids.attempt), (attempt) => one(attemptToWire(attempt))),
      searchInstitutions: ({ caller, payload: { countryCodes = [], ...search } }) =>
        Effect.map(institutions.search(caller, { ...search, countryCodes }), one),
      listProviders: ({ caller, self }) => Effect.map(institutions.providers(caller), (all) => many(self, all))
    }
  })
)
