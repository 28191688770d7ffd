/** The Connector of the fake Quiltt, a script and the page in its frame, for people who try a sign-in. */
import type { FakeAnswer, FakeRequest } from "../FakeRequest.ts"
import { trialChoice, trialMessage, trialPage } from "../TrialPage.ts"
import type { QuilttState } from "./QuilttState.ts"

/** What `connector.js` gives a page: the parts of Quiltt's own that ours uses. */
const script = `(() => {
  const { origin } = new URL(document.currentScript.src);
  let token = "";
  const connector = (query, callbacks) => ({
    open() {
      const frame = document.createElement("iframe");
      frame.title = "Trial: no real bank";
      frame.src = origin + "/connector?" + new URLSearchParams({ token, ...query });
      addEventListener("message", function heard(event) {
        if (event.origin !== origin || event.source !== frame.contentWindow) return;
        removeEventListener("message", heard);
        frame.remove();
        if (event.data.connectionId) callbacks.onExitSuccess(event.data);
        else callbacks.onExitAbort(event.data);
      });
      document.querySelector("main").append(frame);
    }
  });
  window.Quiltt = {
    authenticate: (given) => { token = given; },
    connect: (_, options) => connector({ institution: options.institution || "" }, options),
    reconnect: (_, options) => connector({ connection: options.connectionId }, options)
  };
})();
`

export const connectorScript: FakeAnswer = {
  status: 200,
  headers: { "cache-control": "no-store" },
  contentType: "text/javascript; charset=utf-8",
  body: script
}

/** The page, and where its buttons lead to. */
export const connectorPage = (state: QuilttState, { body, method, query }: FakeRequest): FakeAnswer => {
  const fields = method === "POST" ? new URLSearchParams(body) : query
  const token = fields.get("token") ?? ""
  const session = state.session(token)
  if (session === undefined) return trialPage("This session is not valid any more.", "")
  const wanted = fields.get("institution") ?? ""
  const connection = fields.get("connection") ?? ""
  const mended = state.connection(session.profileId, connection)
  const offered = mended === undefined ? state.institutions : [mended.ledger.institution]
  if (method !== "POST") {
    const asked = offered.filter(({ id }) => wanted === "" || wanted === id)
    return trialChoice("Choose your bank. Nothing is real here.", { token, connection }, "institution", asked)
  }
  if (!offered.some(({ id }) => id === wanted)) return trialMessage({ connectionId: "" })
  if (mended !== undefined) mended.broken = undefined
  return trialMessage({ connectionId: (mended ?? state.connect(session.profileId, { institutionId: wanted })).ref })
}
