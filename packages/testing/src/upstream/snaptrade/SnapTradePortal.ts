/** The portal of the fake SnapTrade, for people who try a sign-in. */
import type { FakeAnswer, FakeRequest } from "../FakeRequest.ts"
import { trialChoice, trialPage, trialReturn } from "../TrialPage.ts"
import type { SnapTradeState } from "./SnapTradeState.ts"
import { snapTradeInstitutions } from "./SnapTradeWorld.ts"

/** The page, and where its buttons lead to. */
export const portalPage = (state: SnapTradeState, { body, method, query }: FakeRequest): FakeAnswer => {
  const fields = method === "POST" ? new URLSearchParams(body) : query
  const token = fields.get("token") ?? ""
  const portal = state.portals.get(token)
  if (portal === undefined || state.now() > portal.expiresAt) {
    return trialPage("This link is not valid any more.", "")
  }
  const mended = state.connected.find(({ ref }) => ref === portal.reconnect)
  const offered =
    mended === undefined
      ? snapTradeInstitutions.filter(({ id, status }) => status !== "down" && (portal.broker ?? id) === id)
      : [mended.ledger.institution]
  if (method !== "POST") {
    return trialChoice("Choose where you have your account. Nothing is real here.", { token }, "broker", offered)
  }
  const institutionId = fields.get("broker") ?? ""
  if (!offered.some(({ id }) => id === institutionId)) return trialReturn(portal, { status: "ABANDONED" })
  if (mended !== undefined) mended.disabled = false
  const { ref } = mended ?? state.connect(portal.userId, { institutionId })
  return trialReturn(portal, { status: "SUCCESS", connection_id: ref })
}
