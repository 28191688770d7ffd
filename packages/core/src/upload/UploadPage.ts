/** Addresses of upload pages as they are stored: of the state in an address only its digest is. */
import * as Schema from "effect/Schema"
import { ActorRef } from "../access/ActorRef.ts"
import { keyedResource } from "../resource/Resource.ts"
import { Id } from "../shared/Ids.ts"
import * as Timestamp from "../shared/Timestamp.ts"

export const StoredUploadPage = Schema.Struct({
  id: Id("uploadPage"),
  workspaceId: Id("workspace"),
  stateHash: Schema.String,
  feedId: Id("feed"),
  /** Who is said to have uploaded the files, and the person behind. */
  actor: ActorRef,
  userId: Schema.String,
  /** The API key that asked for the address, which ends with it. */
  keyId: Schema.optionalKey(Id("apiKey")),
  redirectUri: Schema.optionalKey(Schema.String),
  expiresAt: Timestamp.Timestamp
})
export type StoredUploadPage = typeof StoredUploadPage.Type

export const uploadPageResource = keyedResource<StoredUploadPage>({
  name: "upload_page",
  schema: StoredUploadPage,
  columns: { stateHash: "text", expiresAt: "text" },
  unique: [{ fields: ["stateHash"], within: "installation" }],
  order: [],
  versioned: false
})
