/** API keys (specification 5.2, decisions 2.5). Only a SHA-256 of the secret is ever stored. */
import * as Schema from "effect/Schema"
import { Id } from "../shared/Ids.ts"
import { Timestamp } from "../shared/Timestamp.ts"
import { Scope } from "./Scope.ts"

const secretForm = /^mill_[0-9A-Za-z]{44}$/

export const isSecret = (text: string): boolean => secretForm.test(text)

export const secretPrefix = "mill_"
export const secretRandomLength = 44

/** First 8 characters of the whole secret: all that lists ever show. */
export const keyPrefixOf = (secret: string): string => secret.slice(0, 8)

export const ApiKey = Schema.Struct({
  id: Id("apiKey"),
  workspaceId: Id("workspace"),
  keyPrefix: Schema.String,
  name: Schema.String,
  scopes: Schema.Array(Scope),
  expiresAt: Schema.NullOr(Timestamp),
  createdAt: Timestamp,
  /** The user who made it. */
  createdBy: Id("user"),
  revokedAt: Schema.NullOr(Timestamp)
})
export type ApiKey = typeof ApiKey.Type

export const isActive = (key: ApiKey, now: Timestamp): boolean =>
  key.revokedAt === null && (key.expiresAt === null || key.expiresAt > now)
