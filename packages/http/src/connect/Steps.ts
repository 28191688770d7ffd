/** What a person is shown on the way to their bank: one page for each flow. */
import type { ExistingBank } from "@millrace/core/bank"
import type { ConnectResult } from "@millrace/core/kernel"
import type { ClientStep, ConnectPayload } from "@millrace/core/provider"
import { escaped, inScript, type Page, type Widget } from "./Page.ts"
import type { Words } from "./Words.ts"

export interface StepContext {
  readonly state: string
  readonly words: Words
  readonly workspace: string
  readonly providerName: string
  /** The bank that is connected again. */
  readonly bankName?: string | undefined
  /** The one that was chosen before. */
  readonly institutionName?: string | undefined
  /** Of SimpleFIN and the like: the person fetches a token and pastes it here. */
  readonly isToken: boolean
  /** What went wrong with the last try: a sentence. */
  readonly notice?: string | undefined
  /** The browser came back from a bank to go on with the widget that sent it there. */
  readonly isBack?: boolean
}

const actionOf = (state: string, what: string): string => `/connect/attempt/${what}?state=${encodeURIComponent(state)}`

const noticeOf = ({ notice }: StepContext): string =>
  notice === undefined ? "" : `<p class="note" role="alert">${escaped(notice)}</p>\n`

const cancelForm = ({ state, words }: StepContext): string =>
  `<form method="post" action="${escaped(actionOf(state, "cancel"))}"><button class="plain">${escaped(words.cancel)}</button></form>`

const titleOf = ({ bankName, institutionName, words }: StepContext): string =>
  bankName === undefined ? words.connectTitle(institutionName) : words.reauthTitle(bankName)

/** What went wrong before, and who asks for what. */
const opening = (context: StepContext): string =>
  `${noticeOf(context)}<p>${escaped(context.words.asks(context.workspace, context.providerName))}</p>`

const resultFields = ["result", "publicToken", "connectionId", "institutionId"] as const

/** What is posted of how the person's way ended. */
const hiddenFields = (values: Partial<Record<(typeof resultFields)[number], string>>): string =>
  resultFields.map((name) => `<input type="hidden" name="${name}" value="${escaped(values[name] ?? "")}">`).join("")

/** Where our script puts what the widget gave. */
const resultForm = ({ state }: StepContext): string =>
  `<form id="result" method="post" action="${escaped(actionOf(state, "result"))}" hidden>${hiddenFields({})}</form>`

const send = `
const form = document.getElementById("result");
const send = (values) => { for (const name in values) if (values[name]) form.elements[name].value = values[name]; form.submit(); };
`

/** Opens a widget, or says that it is not there: what blocks advertisements often blocks these scripts as well. */
const openingOf = (name: string, code: string): string => `
const open = () => {
  const isThere = typeof ${name} !== "undefined";
  document.getElementById("absent").hidden = isThere;
  if (isThere) { ${code} }
};
document.getElementById("open").addEventListener("click", open);`

const widgetPage = (context: StepContext, widget: Widget): Page => {
  const { providerName, words } = context
  return {
    title: titleOf(context),
    widget,
    body: `${opening(context)}
<p>${escaped(words.widget(providerName))} ${escaped(words.privacy)}</p>
<noscript><p class="note">${escaped(words.needsScript)}</p></noscript>
<p class="note" id="absent" role="alert" hidden>${escaped(words.widgetAbsent(providerName))}</p>
${resultForm(context)}
<div class="row"><button id="open" type="button">${escaped(words.goOn)}</button>${cancelForm(context)}</div>`
  }
}

/** Plaid's Link, as its documents have it. */
const link = (context: StepContext, { token }: Extract<ClientStep, { readonly kind: "link" }>): Page =>
  widgetPage(context, {
    scripts: ["https://cdn.plaid.com/link/v2/stable/link-initialize.js"],
    frames: ["https://cdn.plaid.com"],
    connects: ["https://production.plaid.com", "https://sandbox.plaid.com"],
    images: ["https://cdn.plaid.com", "data:"],
    code: `${send}
const options = {
  token: ${inScript(token)},
  ${context.isBack === true ? "receivedRedirectUri: location.href," : ""}
  onSuccess: (publicToken, metadata) => send({ result: "connected", publicToken, institutionId: metadata && metadata.institution && metadata.institution.institution_id }),
  onExit: (error) => { if (error) send({ result: "failed" }); }
};
${openingOf("Plaid", "Plaid.create(options).open();")}
${context.isBack === true ? `addEventListener("load", open);` : ""}`
  })

/** Fiskil's page in a frame, which says by a message how it ended. */
const authSession = (
  context: StepContext,
  { authSessionId, origin = "https://auth.fiskil.com" }: Extract<ClientStep, { readonly kind: "authSession" }>
): Page => ({
  title: titleOf(context),
  widget: {
    frames: [origin],
    code: `${send}
addEventListener("message", ({ origin, data }) => {
  if (origin !== ${inScript(origin)} || typeof data !== "object" || data === null) return;
  if (data.isCompleted === true && typeof data.consentID === "string") send({ result: "connected", connectionId: data.consentID });
  else if (data.error || data.error_id) send({ result: /CANCEL|DENIED/.test(String(data.error_id || data.error)) ? "cancelled" : "failed" });
});`
  },
  // Above the frame, which fills the screen of a telephone.
  body: `${opening(context)}
<p>${escaped(context.words.frame)} ${escaped(context.words.privacy)}</p>
<div class="row">${cancelForm(context)}</div>
<iframe title="${escaped(context.providerName)}" src="${escaped(`${origin}/?sess_id=${encodeURIComponent(authSessionId)}`)}"></iframe>
${resultForm(context)}`
})

/** Quiltt's connector. */
const connector = (context: StepContext, step: Extract<ClientStep, { readonly kind: "connector" }>): Page =>
  widgetPage(context, {
    scripts: [`${step.origin ?? "https://cdn.quiltt.io"}/v1/connector.js`],
    frames: step.origin === undefined ? ["https://*.quiltt.app", "https://*.quiltt.io"] : [step.origin],
    connects: ["https://*.quiltt.io", "https://*.quiltt.app"],
    images: ["https://*.quiltt.io", "data:"],
    code: `${send}
const callbacks = {
  onExitSuccess: (metadata) => send({ result: "connected", connectionId: metadata && metadata.connectionId }),
  onExitAbort: () => send({ result: "cancelled" }),
  onExitError: () => send({ result: "failed" })
};
const options = ${inScript(
      step.connectionId === undefined
        ? step.institutionId === undefined
          ? {}
          : { institution: step.institutionId }
        : { connectionId: step.connectionId }
    )};
${openingOf(
  "Quiltt",
  `Quiltt.authenticate(${inScript(step.sessionToken)}); Quiltt.${step.connectionId === undefined ? "connect" : "reconnect"}(${inScript(step.connectorId)}, Object.assign({}, options, callbacks)).open();`
)}`
  })

const isWeb = (url: string): boolean => /^https?:\/\//.test(url)

/** A page of the provider's own: the browser goes there, and comes back to our landing page. */
const portal = (context: StepContext, url: string): Page => ({
  title: titleOf(context),
  body: `${opening(context)}
<p>${escaped(context.words.portal(context.providerName))} ${escaped(context.words.privacy)}</p>
<div class="row">${isWeb(url) ? `<a class="button" href="${escaped(url)}" rel="noreferrer">${escaped(context.words.goTo(context.providerName))}</a>` : ""}${cancelForm(context)}</div>`
})

/** A token that the person fetches at the provider. */
const pasted = (context: StepContext, url: string): Page => ({
  title: titleOf(context),
  body: `${opening(context)}
<ol>
<li>${isWeb(url) ? `<a href="${escaped(url)}" target="_blank" rel="noopener noreferrer">${escaped(context.words.openProvider(context.providerName))}</a>` : escaped(context.words.openProvider(context.providerName))}. ${escaped(context.words.makeToken)}</li>
<li>${escaped(context.words.pasteToken)}</li>
</ol>
<form method="post" action="${escaped(actionOf(context.state, "token"))}">
<label for="token">${escaped(context.words.tokenLabel)}</label>
<textarea id="token" name="token" rows="4" required maxlength="2000" autocomplete="off" spellcheck="false" autofocus></textarea>
<div class="row"><button>${escaped(context.words.connect)}</button></div>
</form>
<div class="row">${cancelForm(context)}</div>`
})

/** The page of a step. */
export const stepPage = (context: StepContext, step: ClientStep): Page => {
  switch (step.kind) {
    case "link":
      return link(context, step)
    case "authSession":
      return authSession(context, step)
    case "connector":
      return connector(context, step)
    case "popup":
      return context.isToken ? pasted(context, step.url) : portal(context, step.url)
    case "redirect":
      return portal(context, step.url)
  }
}

/** Asks whether the person came back from their bank, where the address proves nothing: only a click goes on. */
export const returnedPage = (context: StepContext, result: ConnectResult): Page => ({
  title: context.words.returnedTitle,
  body: `<p>${escaped(context.words.returned(context.providerName))}</p>
<form method="post" action="${escaped(actionOf(context.state, "result"))}">
${hiddenFields({ result: result.result, ...(result.result === "connected" ? fieldsOf(result.payload) : {}) })}
<div class="row"><button>${escaped(context.words.goOn)}</button></div>
</form>`
})

const fieldsOf = (payload: ConnectPayload) => ({
  ...(payload.kind === "plaid_public_token"
    ? { publicToken: payload.publicToken }
    : { connectionId: payload.connectionId }),
  ...(payload.institutionId === undefined ? {} : { institutionId: payload.institutionId })
})

/** The question whether a bank that is there is meant. */
export const choicePage = (context: StepContext, banks: ReadonlyArray<ExistingBank>): Page => {
  const { words } = context
  const choices = banks.map(
    ({ id, name, requiresReauth }, at) =>
      `<label><input type="radio" name="bank" value="${escaped(id)}"${at === 0 ? " checked" : ""}> ${escaped(name)}${requiresReauth ? escaped(`, ${words.asksAgain}`) : ""}</label>`
  )
  return {
    title: words.choiceTitle,
    body: `${noticeOf(context)}<p>${escaped(words.choice)}</p>
<form method="post" action="${escaped(actionOf(context.state, "choose"))}">
<fieldset><legend>${escaped(words.choiceQuestion)}</legend>
${choices.join("\n")}
<label><input type="radio" name="bank" value="new"${banks.length === 0 ? " checked" : ""}> ${escaped(words.another)}</label>
</fieldset>
<div class="row"><button>${escaped(words.goOn)}</button></div>
</form>
<div class="row">${cancelForm(context)}</div>`
  }
}

/** The demo bank, where a person tries how each way ends. */
export const demoPage = (state: string, instanceId: string, institutionId: string | undefined): Page => ({
  title: "Demo bank",
  body: `<p>This is a trial: there is no bank behind it, and nothing that you choose here is real.</p>
<form method="get" action="/connect/callback/${escaped(encodeURIComponent(instanceId))}">
<input type="hidden" name="state" value="${escaped(state)}">
${institutionId === undefined ? "" : `<input type="hidden" name="institution_id" value="${escaped(institutionId)}">`}
<label for="scenario">How should the bank behave?</label>
<select id="scenario" name="connection_id">
<option value="demo:normal">As banks should</option>
<option value="demo:slow">It is slow</option>
<option value="demo:not-ready">Its first data takes some seconds</option>
</select>
<div class="row"><button>Sign in and consent</button><button class="plain" name="status" value="cancelled">Cancel</button></div>
</form>`
})
