/** Bank connections (specification 2.1, decisions 4.1 and 5.2). */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Schema from "effect/Schema"
import { BankType, ConnectionStatus, ProviderKind } from "@millrace/core/provider"
import { Id, Timestamp } from "@millrace/core"
import { always, ofPath, StateConflict, Unprocessable } from "./ApiError.ts"
import { Deleted, Links, Many, One } from "./Envelope.ts"
import { family, familyScope } from "../wire/Family.ts"
import { Flag } from "./Parameters.ts"

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

export const BankApi = HttpApiGroup.make("banks", { topLevel: true }).add(
  HttpApiEndpoint.get("listBanks", "/v1/banks", {
    query: {
      scope: familyScope,
      deleted: Schema.optionalKey(
        Flag.annotate({ description: "true: the banks that were deleted, instead of the others; needs banks:write." })
      )
    },
    success: Many(BankRecord),
    error: always
  }),
  HttpApiEndpoint.get("getBank", "/v1/banks/:bank_id", {
    params: { bank_id: Schema.String },
    success: One(BankRecord),
    error: ofPath
  }),
  HttpApiEndpoint.delete("deleteBank", "/v1/banks/:bank_id", {
    params: { bank_id: Schema.String },
    query: {
      permanent: Schema.optionalKey(
        Flag.annotate({
          description: "true: for good, with all that is known of it, in the background; needs a signed-in session."
        })
      )
    },
    success: [Deleted, One(Schema.Struct({ status: Schema.Literal("removing") })).pipe(HttpApiSchema.status(202))],
    error: [...ofPath, StateConflict]
  }),
  HttpApiEndpoint.post("restoreBank", "/v1/banks/:bank_id/restore", {
    params: { bank_id: Schema.String },
    success: One(BankRecord),
    error: [...ofPath, StateConflict, Unprocessable]
  })
)
