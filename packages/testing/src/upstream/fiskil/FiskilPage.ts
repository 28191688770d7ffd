/** The consent page of the fake Fiskil, in a frame of ours, for people who try a sign-in. */
import type { FakeAnswer, FakeRequest } from "../FakeRequest.ts"
import { trialChoice, trialMessage, trialPage } from "../TrialPage.ts"
import type { FiskilState } from "./FiskilState.ts"

/** The page, and where its buttons lead to. */
export const consentPage = (state: FiskilState, { body, method, query }: FakeRequest): FakeAnswer => {
  const fields = method === "POST" ? new URLSearchParams(body) : query
  const id = fields.get("sess_id") ?? ""
  const session = state.sessions.get(id)
  if (session === undefined || session.isUsed || state.now() > session.expiresAt) {
    return trialPage("This session is not valid any more.", "")
  }
  const offered = state.institutions.filter(
    (one) => one.status !== "down" && (session.institutionId ?? one.id) === one.id
  )
  if (method !== "POST") {
    const text = "Choose your bank and give your consent. Nothing is real here."
    return trialChoice(text, { sess_id: id }, "institution", offered)
  }
  session.isUsed = true
  const institutionId = fields.get("institution") ?? ""
  if (!offered.some((one) => one.id === institutionId)) return trialMessage({ error_id: "CONSENT_ENDUSER_DENIED" })
  const { consentId } = state.consent(session.endUserId, { institutionId })
  return trialMessage({ isCompleted: true, consentID: consentId })
}
