/** From headers to a principal whose request is counted (decisions 2.1, 2.2 and 2.5). Nothing but headers is ever read. */
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as Redacted from "effect/Redacted"
import type { Arrival, Authenticator } from "@millrace/core/kernel"
import type { StorageUnavailable } from "@millrace/core/storage"
import { answerOf, type Answer } from "../answer/errors.ts"
import { refuse, type Refused } from "../answer/Refused.ts"

const challenge = { "www-authenticate": 'Bearer realm="millrace"' }

const missing: Answer = { status: 401, code: "MISSING_CREDENTIAL", message: "Missing credential", headers: challenge }

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

export const authenticate = Effect.fnUntraced(function* (
  authenticator: Pick<Authenticator["Service"], "arrival">,
  agreedRate: number,
  request: HttpServerRequest
): Effect.fn.Return<Arrival, Refused | StorageUnavailable> {
  const key = request.headers["x-api-key"]?.trim() ?? ""
  const authorization = request.headers["authorization"]?.trim() ?? ""
  if (key !== "" && authorization !== "") return yield* refuse(ambiguous)
  if (authorization !== "") return yield* refuse(invalidToken)
  if (key === "") return yield* refuse(missing)
  return yield* authenticator
    .arrival(Redacted.make(key), agreedRate)
    .pipe(Effect.catchTag("CredentialInvalid", (error) => Effect.fail(refuse(answerOf(error)))))
})
