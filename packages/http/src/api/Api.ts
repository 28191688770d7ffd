/** The whole contract of /v1: shared by server, client and documentation. */
import * as HttpApi from "effect/http-api/HttpApi"
import * as OpenApi from "effect/http-api/OpenApi"
import { nouns, operations } from "@millrace/core/access"
import { transportMeanings } from "../openapi/Errors.ts"
import { type Catalogue, toDocument } from "../openapi/OpenApi.ts"
import { operationNotes } from "../openapi/Operations.ts"
import { AccountApi } from "./AccountApi.ts"
import { AuditApi } from "./AuditApi.ts"
import { BankApi } from "./BankApi.ts"
import { CallbackApi } from "./CallbackApi.ts"
import { CorrectionApi } from "./CorrectionApi.ts"
import { JoinApi } from "./JoinApi.ts"
import { EnrichmentApi } from "./EnrichmentApi.ts"
import { FeedApi } from "./FeedApi.ts"
import { FieldApi } from "./FieldApi.ts"
import { DecisionApi } from "./DecisionApi.ts"
import { InsightApi } from "./InsightApi.ts"
import { FindingApi } from "./FindingApi.ts"
import { IdentityApi } from "./IdentityApi.ts"
import { JobApi } from "./JobApi.ts"
import { PreviewApi } from "./PreviewApi.ts"
import { RecordApi } from "./RecordApi.ts"
import { RowApi } from "./RowApi.ts"
import { TableApi } from "./TableApi.ts"
import { UploadApi } from "./UploadApi.ts"
import { ValueApi } from "./ValueApi.ts"
import { WorkspaceApi } from "./WorkspaceApi.ts"

export const apiVersion = "1.0.0"

type Groups =
  | typeof IdentityApi
  | typeof WorkspaceApi
  | typeof AuditApi
  | typeof BankApi
  | typeof AccountApi
  | typeof CallbackApi
  | typeof CorrectionApi
  | typeof JoinApi
  | typeof FeedApi
  | typeof UploadApi
  | typeof JobApi
  | typeof RecordApi
  | typeof EnrichmentApi
  | typeof FindingApi
  | typeof InsightApi
  | typeof DecisionApi
  | typeof ValueApi
  | typeof PreviewApi
  | typeof TableApi
  | typeof FieldApi
  | typeof RowApi

/** What documents say of the bundled operations. */
export const catalogue: Catalogue = { operations, nouns, notes: operationNotes }

// Said by name: written out, the type is more than a declaration can hold.
export const Api: HttpApi.HttpApi<"millrace", Groups> = HttpApi.make("millrace")
  .add(
    IdentityApi,
    WorkspaceApi,
    AuditApi,
    BankApi,
    AccountApi,
    CallbackApi,
    CorrectionApi,
    JoinApi,
    FeedApi,
    UploadApi,
    JobApi,
    RecordApi,
    EnrichmentApi,
    FindingApi,
    InsightApi,
    DecisionApi,
    ValueApi,
    PreviewApi,
    TableApi,
    FieldApi,
    RowApi
  )
  // Whoever sends several faults learns of all of them at once.
  .annotate(HttpApi.ParseOptions, { errors: "all" })
  .annotateMerge(
    OpenApi.annotations({
      title: "Millrace",
      version: apiVersion,
      description: [
        "Financial data sync: bank connections, their data, feeds and tables.",
        "Any request can end before it reaches an operation, with the body of all errors and its `referenceId`:",
        Object.entries(transportMeanings)
          .map(([status, meaning]) => `- ${status}: ${meaning}`)
          .join("\n")
      ].join("\n\n"),
      transform: toDocument(catalogue)
    })
  )
