import * as Schema from "effect/Schema"
import { Links } from "../../operation/Success.ts"
import { family } from "../../operation/Family.ts"
import { BankType } from "../../provider/BankType.ts"
import { ConnectionStatus } from "../../provider/ConnectionHealth.ts"
import { ProviderKind } from "../../provider/ProviderKind.ts"
import { Id } from "../../shared/Ids.ts"
import * as Timestamp from "../../shared/Timestamp.ts"
import type { Bank } from "../Bank.ts"

export const BankRecord = Schema.Struct({
  id: Id("bank"),
  name: Schema.String,
  source: ProviderKind,
  type: BankType,
  order: Schema.Int,
  icon: Schema.optionalKey(Schema.String),
  connectionStatus: Schema.optionalKey(ConnectionStatus),
  institutionId: Schema.optionalKey(Schema.String),
  providerInstanceId: Schema.optionalKey(Schema.String),
  createdAt: Timestamp.Timestamp,
  updatedAt: Timestamp.Timestamp,
  deletedAt: Schema.optionalKey(Timestamp.Timestamp.annotate({ description: "Only with deleted=true." })),
  purgeAt: Schema.optionalKey(
    Timestamp.Timestamp.annotate({ description: "When a deleted bank is removed for good; only with deleted=true." })
  ),
  removalStatus: Schema.optionalKey(
    Schema.Struct({
      state: Schema.Literals(["removing", "failed"]),
      reason: Schema.optionalKey(Schema.String),
      stage: Schema.Literals(["provider", "local"]).annotate({
        description: "provider: it is still connected, and can be restored; local: it is not, and can only be removed."
      })
    }).annotate({ description: "Only of a single bank, while it is removed for good or after that has failed." })
  ),
  links: Links,
  ...family
}).annotate({ identifier: "Bank" })

/** A bank as it is sent. Names every field, so that nothing internal can slip through. */
export const bankToWire = (bank: Bank) => ({
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
