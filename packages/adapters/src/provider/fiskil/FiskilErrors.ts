/** What Fiskil's refusals mean, in one table: by the name of the fault where it is known, else by the status. */
import type { OutboundRequest, OutboundResponse } from "@millrace/core/outbound"
import {
  ConnectionGone,
  ConsentRequired,
  hintSeconds,
  InstitutionUnavailable,
  InvalidConnectPayload,
  Misconfigured,
  ProtocolViolation,
  type ProviderError,
  ProviderUnavailable,
  RateLimited,
  readJson,
  retryAfterSeconds,
  UserCancelled
} from "@millrace/core/provider"
import * as Result from "effect/Result"
import { shownCode } from "../upstream/UpstreamForm.ts"
import { secondsUntil } from "../upstream/Wait.ts"
import { FiskilFault } from "./FiskilAnswers.ts"

type Counts = OutboundRequest["counts"]

/** The name of this upstream in messages. */
export const upstream = "Fiskil"

interface Evidence {
  readonly providerCode: string
  readonly requestId?: string
}
type Meaning = (evidence: Evidence) => ProviderError

const noConsent: Meaning = (evidence) =>
  new ConsentRequired({ ...evidence, message: "The person's consent to share the data has ended or does not cover it" })
const cancelled: Meaning = (evidence) =>
  new UserCancelled({ ...evidence, message: "The person stopped before the bank was connected" })

/** Names of faults, in small letters. */
const meanings: Readonly<Record<string, Meaning>> = {
  end_user_not_found: (evidence) =>
    new ConnectionGone({ ...evidence, message: `${upstream} does not know the person any more` }),
  consent_not_found: noConsent,
  consent_inactive: noConsent,
  consent_expired: noConsent,
  consent_revoked: noConsent,
  consumerdata_processing_error: (evidence) =>
    new InstitutionUnavailable({ ...evidence, message: "The bank could not give the data at the moment" }),
  consent_upstream_processing_error: (evidence) =>
    new InstitutionUnavailable({ ...evidence, message: "The bank could not take the consent at the moment" }),
  consent_enduser_denied: cancelled,
  auth_session_cancelled: cancelled,
  auth_session_invalid: (evidence) =>
    new InvalidConnectPayload({ ...evidence, message: "The sign-in was used or has ended: begin another one" })
}

const faultOf = (answer: OutboundResponse): FiskilFault => {
  const read = readJson(upstream, FiskilFault, answer)
  return Result.isSuccess(read) ? read.success : {}
}

/** What an answer means that is no success; `undefined` for one that can be read. */
export const refusalOf = (answer: OutboundResponse, counts: Counts, now: number): ProviderError | undefined => {
  const { headers, status } = answer
  if (status >= 200 && status < 300) return undefined
  const fault = faultOf(answer)
  const name = shownCode(fault.name)
  const requestId = shownCode(fault.id)
  const evidence = { providerCode: name ?? String(status), ...(requestId === undefined ? {} : { requestId }) }
  const wait = retryAfterSeconds(headers, now)
  const { connection } = counts ?? {}
  if (status === 429) {
    return new RateLimited({
      ...evidence,
      message: `${upstream} asks to wait`,
      // What is limited is not said anywhere: nothing is asked until then.
      scope: "client",
      retryAfter: hintSeconds(wait ?? secondsUntil(headers["x-ratelimit-reset"], now))
    })
  }
  const known = name?.toLowerCase()
  const meaning = known !== undefined && Object.hasOwn(meanings, known) ? meanings[known] : undefined
  if (meaning !== undefined) return meaning(evidence)
  if (status === 401) return new Misconfigured({ ...evidence, message: `${upstream} does not accept the API key` })
  if (status === 403) {
    return connection === undefined
      ? new Misconfigured({ ...evidence, message: `${upstream} does not allow this to the API key` })
      : noConsent(evidence)
  }
  if (status >= 500 || status === 408 || fault.temporary === true || fault.timeout === true) {
    return new ProviderUnavailable({
      ...evidence,
      message: `${upstream} answered ${status}`,
      ...(wait === undefined ? {} : { retryAfter: wait })
    })
  }
  if ((status === 404 || status === 410) && connection !== undefined) {
    return new ConnectionGone({ ...evidence, message: `${upstream} does not know what was asked for` })
  }
  return new ProtocolViolation({ ...evidence, message: `${upstream} answered ${status}`, path: "" })
}
