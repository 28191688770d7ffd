/** Callbacks of Salt Edge: what was signed, and what it says of which connection. */
import type { KeyObject } from "node:crypto"
import { Timestamp } from "@millrace/core"
import { type InboundWebhook, type Poke, readJson, WebhookRefused } from "@millrace/core/provider"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { instantOf } from "../upstream/UpstreamForm.ts"
import { meaningOfClass } from "./Errors.ts"
import * as Forms from "./Forms.ts"
import { healthOf } from "./Health.ts"
import { idOf } from "./Ids.ts"
import { isSignedCallback } from "./Signature.ts"

/** How old a signed callback may be: it is tried again where we were away, and only ever a reason to look. */
const oldestMillis = 24 * 3_600_000
/** How far its clock may be before ours. */
const aheadMillis = 300_000

const refused = (message: string) => Effect.fail(new WebhookRefused({ message }))

/** What we gave along when the attempt began. */
const attemptOf = (fields: unknown): string | undefined => {
  const id: unknown =
    typeof fields === "object" && fields !== null ? (fields as { readonly attempt_id?: unknown }).attempt_id : undefined
  return typeof id === "string" && /^[\w-]{1,100}$/.test(id) ? id : undefined
}

const meaningOfCallback = ({ data }: Forms.Callback, connectionRef: string | undefined): Partial<Poke> => {
  const isOfAttempt = attemptOf(data.custom_fields) !== undefined
  const errorClass = data.error_class
  if (typeof errorClass === "string" && errorClass !== "") {
    const error = meaningOfClass(errorClass, connectionRef ?? "")
    const health = error === undefined ? undefined : healthOf(error)
    return {
      ...(isOfAttempt
        ? { result: error?._tag === "UserCancelled" ? ("cancelled" as const) : ("failed" as const) }
        : {}),
      ...(health === undefined || connectionRef === undefined ? {} : { health })
    }
  }
  // Stages on the way are none of ours; the last one means that there are data.
  return data.stage === "finish" ? (isOfAttempt ? { result: "connected", repaired: true } : { repaired: true }) : {}
}

export const verify = (key: KeyObject) =>
  Effect.fn("SaltEdge.verifyWebhook")(function* ({ headers, now, rawBody, url }: InboundWebhook) {
    const signature = headers["signature"]?.trim()
    if (signature === undefined || signature === "") return yield* refused("The callback has no signature")
    if (!isSignedCallback(key, { url, rawBody, signature })) {
      return yield* refused("The signature of the callback is not Salt Edge's, or it is of another address")
    }
    const read = readJson("Salt Edge", Forms.Callback, { status: 200, headers: {}, body: rawBody })
    if (Result.isFailure(read)) return yield* refused("The callback does not have the agreed form")
    const callback = read.success
    const at = instantOf(callback.meta?.time)
    if (at === undefined) return yield* refused("The callback does not say when it happened")
    const age = now - Timestamp.toMillis(at)
    if (age > oldestMillis || age < -aheadMillis) return yield* refused("The callback is not of today")
    const connectionRef = idOf(callback.data.connection_id)
    const attemptId = attemptOf(callback.data.custom_fields)
    // About a bank of the catalogue, and nobody's connection.
    if (connectionRef === undefined && attemptId === undefined) return []
    return [
      {
        ...(connectionRef === undefined ? {} : { connectionRef }),
        ...(attemptId === undefined ? {} : { attemptId }),
        ...meaningOfCallback(callback, connectionRef)
      }
    ] satisfies ReadonlyArray<Poke>
  })
