/** From headers to a principal (decisions 2.1, 2.2 and 2.5). Nothing but headers is ever read. */
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as Redacted from "effect/Redacted"
import type { Authenticator } from "@millrace/core/kernel"
import type { CredentialPrincipal } from "@millrace/core/access"
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
  authenticator: Authenticator["Service"],
  request: HttpServerRequest
): Effect.fn.Return<CredentialPrincipal, Refused | StorageUnavailable> {
  const key = request.headers["x-api-key"]?.trim() ?? ""
  const authorization = request.headers["authorization"]?.trim() ?? ""
  if (key !== "" && authorization !== "") return yield* refuse(ambiguous)
  if (authorization !== "") return yield* refuse(invalidToken)
  if (key === "") return yield* refuse(missing)
  return yield* authenticator
    .apiKey(Redacted.make(key))
    .pipe(Effect.catchTag("CredentialInvalid", (error) => Effect.fail(refuse(answerOf(error)))))
})
