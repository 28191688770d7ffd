import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { audits, operation } from "../../operation/Definition.ts"
import { exampleIds } from "../../operation/Examples.ts"
import { whole } from "../../operation/Success.ts"
import { ProviderInstanceId } from "../../provider/ProviderKind.ts"
import { Id } from "../../shared/Ids.ts"
import { Banks } from "../Banks.ts"
import { AccountRecord, accountToWire } from "./AccountRecord.ts"
import { described, textOf, withoutPath, AttemptId } from "./ConnectionRecord.ts"
import { accountExample } from "./Examples.ts"

const institutionId = Schema.optionalKey(textOf(128))

const CompleteConnection = Schema.Struct({
  providerInstanceId: ProviderInstanceId,
  attemptId: Schema.optionalKey(
    AttemptId.annotate(
      described("That of startConnection. Without it: the newest attempt of the same credential at the instance.")
    )
  ),
  payload: Schema.Union([
    Schema.Struct({ kind: Schema.Literal("plaid_public_token"), publicToken: textOf(2_000, 1), institutionId }),
    Schema.Struct({ kind: Schema.Literal("provider_connection_id"), connectionId: textOf(2_000, 1), institutionId })
  ])
}).annotate({ identifier: "CompleteConnection" })

const CompletedConnection = Schema.Struct({
  success: Schema.Literal(true),
  bankId: Id("bank"),
  created: Schema.Boolean.annotate(described("False where the bank was there already, or the attempt was completed.")),
  accounts: Schema.Array(AccountRecord)
})

export const completeConnection = operation({
  noun: "banks",
  id: "completeConnection",
  post: "/v1/banks/connections/complete",
  summary: "Complete a connection that a person has begun",
  description:
    "Completes a connection with what the provider gave the person's browser: the public token of Plaid, the setup token " +
    "of SimpleFIN, the connection id of all others. The provider is asked whether it is ours. Asking again with the same " +
    "`attemptId` returns the same bank with `created` false, and goes on where an earlier request stopped.",
  access: { anyOf: ["banks:write"], role: "admin" },
  repeats: "key",
  waits: true,
  command: "banks complete",
  tool: "complete_connection",
  hints: { openWorldHint: true },
  body: CompleteConnection,
  success: whole(CompletedConnection),
  errors: ["NotAvailable"],
  example: {
    body: {
      providerInstanceId: "demo:default",
      attemptId: exampleIds.attempt,
      payload: { kind: "provider_connection_id", connectionId: "anything" }
    },
    data: { success: true, bankId: exampleIds.bank, created: true, accounts: [accountExample] }
  },
  audits: audits(Banks, "connect", { makes: true }),
  run: ({ caller, body: { attemptId, payload, providerInstanceId: instanceId } }) =>
    Banks.use((banks) =>
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
      )
    )
})
