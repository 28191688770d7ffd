/** Bank connections (specification 2.1, decisions 4.1 and 5.2). */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Schema from "effect/Schema"
import { BankType, ConnectionStatus, ProviderKind } from "@millrace/core/provider"
import { Id, Timestamp } from "@millrace/core"
import { always, NotAvailable, ofBody, ofKey, ofPath, StateConflict, Unprocessable } from "./ApiError.ts"
import {
  CompleteConnection,
  CompletedConnection,
  ConnectionAttemptRecord,
  ConnectionStart,
  ConnectionStep,
  FoundInstitutions,
  ProviderInstanceRecord,
  ReauthConnection,
  RefreshBank,
  RefreshStarted,
  SearchInstitutions,
  StartConnection,
  UpdateBank
} from "./ConnectionApi.ts"
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

const byId = { bank_id: Schema.String }

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
  }),
  HttpApiEndpoint.put("updateBank", "/v1/banks/:bank_id", {
    params: byId,
    payload: UpdateBank,
    success: One(BankRecord),
    error: [...ofPath, ...ofBody, StateConflict]
  }),
  HttpApiEndpoint.post("refreshBank", "/v1/banks/:bank_id/refresh", {
    params: byId,
    payload: RefreshBank,
    success: One(RefreshStarted).pipe(HttpApiSchema.status(202)),
    error: [...ofPath, ...ofBody, ...ofKey, NotAvailable]
  }),
  HttpApiEndpoint.post("startConnection", "/v1/banks/connections/start", {
    payload: StartConnection,
    success: One(ConnectionStart),
    error: [...always, ...ofBody, ...ofKey, NotAvailable]
  }),
  HttpApiEndpoint.post("completeConnection", "/v1/banks/connections/complete", {
    payload: CompleteConnection,
    success: CompletedConnection,
    error: [...always, ...ofBody, ...ofKey, NotAvailable]
  }),
  HttpApiEndpoint.post("reauthConnection", "/v1/banks/connections/:bank_id/reauth", {
    params: byId,
    payload: ReauthConnection,
    success: One(ConnectionStep),
    error: [...ofPath, ...ofBody, ...ofKey, NotAvailable]
  }),
  HttpApiEndpoint.get("getConnectionAttempt", "/v1/banks/connections/attempts/:attempt_id", {
    params: { attempt_id: Schema.String },
    success: One(ConnectionAttemptRecord),
    error: ofPath
  }),
  HttpApiEndpoint.post("searchInstitutions", "/v1/banks/search", {
    payload: SearchInstitutions,
    success: One(FoundInstitutions),
    error: [...always, ...ofBody]
  }),
  HttpApiEndpoint.get("listProviders", "/v1/banks/providers", {
    success: Many(ProviderInstanceRecord),
    error: always
  })
)
