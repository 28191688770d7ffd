/** The page of the fake Salt Edge, for people who try a sign-in. */
import type { FakeAnswer, FakeRequest } from "../FakeRequest.ts"
import { trialChoice, trialPage, trialReturn } from "../TrialPage.ts"
import type { SaltEdgeState } from "./SaltEdgeState.ts"
import { saltEdgeInstitutions } from "./SaltEdgeWorld.ts"

/** The page, and where its buttons lead to. */
export const connectPage = (state: SaltEdgeState, { body, method, query }: FakeRequest): FakeAnswer => {
  const fields = method === "POST" ? new URLSearchParams(body) : query
  const token = fields.get("token") ?? ""
  const session = state.sessions.get(token)
  if (session === undefined || state.now() > session.expiresAt) {
    return trialPage("This link is not valid any more.", "")
  }
  const mended = state.connected.find(({ ref }) => ref === session.reconnect)
  const offered =
    mended === undefined
      ? saltEdgeInstitutions.filter(({ id, status }) => status !== "down" && (session.provider ?? id) === id)
      : [mended.ledger.institution]
  if (method !== "POST") {
    return trialChoice("Choose your bank. Nothing is real here.", { token }, "provider", offered)
  }
  const institutionId = fields.get("provider") ?? ""
  if (!offered.some(({ id }) => id === institutionId))
    return trialReturn(session, { error_class: "AuthorizationCancelled" })
  if (mended !== undefined) {
    state.mend(mended)
    mended.refreshes++
  }
  const { ref } = mended ?? state.connect(session, { institutionId })
  return trialReturn(session, { connection_id: ref })
}
