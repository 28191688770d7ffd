/** Salt Edge: banks of Europe and beyond, through its page and a consent that ends. */
import { type Capabilities, Misconfigured, type ProviderDriver, type ProviderFactory } from "@millrace/core/provider"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { makeClient } from "./Client.ts"
import { customerIn, makeConnecting, options } from "./Connect.ts"
import { makeBanks } from "./Institutions.ts"
import { makeSession, rereadDays } from "./Session.ts"
import { publishedCallbackKey, Settings, usualHistoryDays } from "./Settings.ts"
import { privateKeyOf, publicKeyOf } from "./Signature.ts"
import { verify } from "./Webhooks.ts"

const capabilitiesOf = (historyDays: number): Capabilities => ({
  connectFlow: "redirect",
  dataTypes: {
    transactions: {
      changeModel: "snapshotWindow",
      scope: "account",
      // Pending rows have another id after every reading of the bank.
      idTrust: "perStatus",
      historyDays: Math.max(historyDays, 365),
      overlapDays: rereadDays,
      // Rows have an instant of their last change, and no filter asks for it.
      wholeEveryDays: 7
    },
    loans: { changeModel: "snapshotFull", scope: "connection", idTrust: "stable", historyDays: 0, overlapDays: 0 }
  },
  history: { defaultDays: historyDays, maxDays: 730, fixedAtConnect: true },
  pendingModel: "unlinked",
  reconnectKeepsIds: true,
  removal: "sync",
  freshnessSeconds: 3_600,
  webhooks: true,
  refresh: { dataTypes: ["balances", "transactions", "loans"], billable: false },
  limits: [
    // Banks in Europe are read four times a day where nobody waits for it.
    {
      name: "refresh",
      requests: 4,
      seconds: 86_400,
      per: "connection",
      endpoint: "refresh",
      backgroundOnly: true,
      burst: 4
    }
  ]
})

const countryCodes =
  "AT BE BG CH CY CZ DE DK EE ES FI FR GB GR HR HU IE IS IT LI LT LU LV MT NL NO PL PT RO SE SI SK".split(" ")

export const factory: ProviderFactory<Settings> = {
  kind: "saltedge",
  label: "Salt Edge",
  Config: Settings,
  make: Effect.fnUntraced(function* ({ config, instanceId }) {
    const privateKey = config.privateKey === undefined ? Result.succeed(undefined) : privateKeyOf(config.privateKey)
    if (Result.isFailure(privateKey)) {
      return yield* new Misconfigured({ message: `${instanceId}: privateKey is no RSA key in PEM` })
    }
    const callbackKey = publicKeyOf(config.callbackKey ?? publishedCallbackKey)
    if (Result.isFailure(callbackKey)) {
      return yield* new Misconfigured({ message: `${instanceId}: callbackKey is no public RSA key in PEM` })
    }
    const client = yield* makeClient(config, privateKey.success)
    const includeSandboxes = config.includeSandboxes === true
    const banks = makeBanks(client, includeSandboxes)
    const historyDays = config.historyDays ?? usualHistoryDays
    const connecting = makeConnecting(client, banks, { historyDays, includeSandboxes })
    return {
      kind: "saltedge",
      instanceId,
      name: "Salt Edge",
      countryCodes,
      capabilities: capabilitiesOf(historyDays),
      connectOptions: options,
      listInstitutions: banks.search,
      beginConnect: connecting.begin,
      completeConnect: connecting.complete,
      removeSubject: connecting.removeSubject,
      open: ({ connection, psu, subject }) =>
        Effect.succeed(
          makeSession(client, {
            ref: connection.ref,
            customerId: customerIn(connection.secrets) ?? customerIn(subject.secrets),
            psu
          })
        ),
      verifyWebhook: verify(callbackKey.success)
    } satisfies ProviderDriver
  })
}
