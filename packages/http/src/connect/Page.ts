/** A page for people: what all of them have, and what they may load. */
import * as HttpServerResponse from "effect/http/HttpServerResponse"

const signs: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" }

/** Text as it stands in a page or in the value of an attribute. */
export const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (sign) => signs[sign]!)

/** A value in a script, which no text can end. */
export const inScript = (value: unknown): string =>
  JSON.stringify(value).replaceAll("<", "\\u003c").replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029")

/** What a page loads besides itself: the upstream's own widget. */
export interface Widget {
  readonly scripts?: ReadonlyArray<string>
  readonly frames?: ReadonlyArray<string>
  readonly connects?: ReadonlyArray<string>
  readonly images?: ReadonlyArray<string>
  /** Our own script, which says how the widget is opened and what comes of it. */
  readonly code: string
}

export interface Page {
  readonly title: string
  /** HTML; anyone who makes it escapes. */
  readonly body: string
  readonly status?: number
  readonly widget?: Widget
  /** Where the browser goes without a click, after so many seconds. */
  readonly refresh?: { readonly url: string; readonly seconds: number }
  /** A language tag; `en` unless given. */
  readonly lang?: string
  /** On whose behalf the page asks: the name of the workspace. */
  readonly workspace?: string
  /** The value of a `Set-Cookie` header. */
  readonly cookie?: string
}

const style = `
  :root { color-scheme: light dark; --line: #8886; --soft: #8882; --accent: #0b5fa5; --on: #fff; --bad: #b3261e; --good: #1a7f4b }
  @media (prefers-color-scheme: dark) { :root { --accent: #7cc0ff; --on: #06243d; --bad: #ff8a80; --good: #5fd39a } }
  * { box-sizing: border-box }
  body { font: 17px/1.6 system-ui, sans-serif; max-width: 34rem; margin: 6vh auto 4rem; padding: 0 1.25rem; overflow-wrap: anywhere }
  header { display: flex; flex-wrap: wrap; gap: .25rem .75rem; align-items: baseline; margin: 0 0 1.5rem; padding: 0 0 .75rem; border-bottom: 1px solid var(--line) }
  header strong { color: var(--accent); letter-spacing: .01em }
  h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .75rem }
  p { margin: .6rem 0 }
  form, .go { margin: 1.25rem 0 0 }
  label, legend { font-weight: 600; display: block; margin: 0 0 .35rem }
  fieldset { border: 1px solid var(--line); border-radius: 8px; margin: 1.25rem 0 0; padding: .75rem 1rem }
  fieldset label { font-weight: 400; padding: .35rem 0; margin: 0 }
  input[type=file] { max-width: 100%; font: inherit }
  input[type=text], textarea, select { width: 100%; font: inherit; padding: .6rem .7rem; border: 1px solid var(--line); border-radius: 8px; background: transparent; color: inherit }
  select option { color: CanvasText; background: Canvas }
  button, .button { font: inherit; font-weight: 600; display: inline-block; min-height: 44px; padding: .55rem 1.2rem; border: 2px solid var(--accent); border-radius: 8px; background: var(--accent); color: var(--on); text-decoration: none; cursor: pointer }
  .plain { background: transparent; color: var(--accent) }
  button:focus-visible, .button:focus-visible, input:focus-visible, textarea:focus-visible, select:focus-visible, a:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
  .row { display: flex; flex-wrap: wrap; gap: .75rem; margin: 1.25rem 0 0 } .row form { margin: 0 }
  .note { color: var(--bad); font-weight: 600 } .good { color: var(--good); font-weight: 600 }
  .small { font-size: .9rem; opacity: .85 }
  ul { padding-left: 1.2rem } iframe { width: 100%; height: 70vh; margin: 1.25rem 0 0; border: 1px solid var(--line); border-radius: 8px }`

const from = (name: string, sources: ReadonlyArray<string> | undefined, own: ReadonlyArray<string> = []) => {
  const all = [...own, ...(sources ?? [])]
  return all.length === 0 ? [] : [`${name} ${all.join(" ")}`]
}

const policyOf = (nonce: string, widget: Widget | undefined): string => {
  return [
    "default-src 'none'",
    "style-src 'unsafe-inline'",
    ...(widget === undefined ? [] : from("script-src", widget.scripts, [`'nonce-${nonce}'`])),
    ...from("frame-src", widget?.frames),
    ...from("connect-src", widget?.connects),
    ...from("img-src", widget?.images),
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'"
  ].join("; ")
}

const htmlOf = ({ body, lang, refresh, title, widget, workspace }: Page, nonce: string): string => `<!doctype html>
<html lang="${lang ?? "en"}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
${refresh === undefined ? "" : `<meta http-equiv="refresh" content="${refresh.seconds}; url=${escaped(refresh.url)}">\n`}<title>${escaped(title)}</title>
<style>${style}
</style>
</head>
<body>
<header><strong>Millrace</strong>${workspace === undefined ? "" : `<span>${escaped(workspace)}</span>`}</header>
<main>
<h1>${escaped(title)}</h1>
${body}
</main>
${(widget?.scripts ?? []).map((src) => `<script src="${escaped(src)}" defer></script>\n`).join("")}${
  widget === undefined ? "" : `<script nonce="${nonce}">${widget.code}</script>\n`
}</body>
</html>
`

/** The page as it is sent. `nonce` is random: it lets our own script run, and no other that got into the page. */
export const respondPage = (page: Page, nonce: string): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(htmlOf(page, nonce), {
    status: page.status ?? 200,
    contentType: "text/html; charset=utf-8",
    headers: {
      "content-security-policy": policyOf(nonce, page.widget),
      // The address holds the state, which is nobody else's to know.
      "referrer-policy": page.widget === undefined ? "no-referrer" : "origin",
      "cross-origin-opener-policy": page.widget === undefined ? "same-origin" : "same-origin-allow-popups",
      ...(page.cookie === undefined ? {} : { "set-cookie": page.cookie })
    }
  })
