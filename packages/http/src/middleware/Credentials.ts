/** From headers to a principal whose request is counted (decisions 2.1, 2.2 and 2.5). Nothing but headers is ever read. */
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as Redacted from "effect/Redacted"
import { SessionArrivals } from "@millrace/core/access"
import { type Arrival, Authenticator } from "@millrace/core/kernel"
import type { StorageUnavailable } from "@millrace/core/storage"
import { AgreedRate } from "@millrace/core/workspace"
import { refuse, type Refused } from "../answer/Refused.ts"
import { type Answer, answerOf } from "@millrace/core/operation"

const challenge = { "www-authenticate": 'Bearer realm="millrace"' }

const missing: Answer = {
  status: 401,
  code: "MISSING_CREDENTIAL",
  message: "Missing credential: send an API key in the header X-API-Key, or a token as Authorization: Bearer <token>",
  headers: challenge
}

const ambiguous: Answer = {
  status: 401,
  code: "CREDENTIAL_AMBIGUOUS",
  message: "Send one credential only",
  headers: challenge
}

const invalidToken: Answer = {
  status: 401,
  code: "INVALID_CREDENTIAL",
  message: "Invalid or expired token",
  headers: { "www-authenticate": 'Bearer realm="millrace", error="invalid_token"' }
}

const bearerForm = /^Bearer +([\w.~+/=-]+)$/i

/** The one operation that a person may ask without a workspace. */
const isWhoami = ({ url }: HttpServerRequest): boolean => /^\/v1\/whoami(?:\?|$)/.test(url)

/** From a request to who asks. */
export const makeAuthentication = Effect.gen(function* () {
  const authenticator = yield* Authenticator
  // Absent where there are no sessions.
  const sessions = yield* SessionArrivals
  // Requests a minute of plans whose rate is by agreement.
  const agreedRate = yield* AgreedRate

  const session = Effect.fnUntraced(function* (
    request: HttpServerRequest,
    authorization: string
  ): Effect.fn.Return<Arrival, Refused | StorageUnavailable> {
    const token = bearerForm.exec(authorization)?.[1]
    if (token === undefined || sessions === undefined) return yield* refuse(invalidToken)
    const workspaceId = request.headers["x-workspace-id"]?.trim()
    return yield* sessions
      .arrival(Redacted.make(token), workspaceId === "" ? undefined : workspaceId, isWhoami(request))
      .pipe(
        Effect.catchTag("CredentialInvalid", () => Effect.fail(refuse(invalidToken))),
        Effect.catchTag(["InvalidInput", "Forbidden"], (error) => Effect.fail(refuse(answerOf(error))))
      )
  })

  return Effect.fnUntraced(function* (
    request: HttpServerRequest
  ): Effect.fn.Return<Arrival, Refused | StorageUnavailable> {
    const key = request.headers["x-api-key"]?.trim() ?? ""
    const authorization = request.headers["authorization"]?.trim() ?? ""
    if (key !== "" && authorization !== "") return yield* refuse(ambiguous)
    if (authorization !== "") return yield* session(request, authorization)
    if (key === "") return yield* refuse(missing)
    return yield* authenticator
      .arrival(Redacted.make(key), agreedRate)
      .pipe(Effect.catchTag("CredentialInvalid", (error) => Effect.fail(refuse(answerOf(error)))))
  })
})
