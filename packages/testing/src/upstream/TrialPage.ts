/** Pages of fakes for people who try a sign-in: plain, without script, and marked as what they are. */
import type { FakeAnswer } from "./FakeRequest.ts"

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;")

/** A button that sends the fields to the page that it stands on. */
export const trialForm = (fields: Readonly<Record<string, string>>, label: string): string =>
  `<form method="post">${Object.entries(fields)
    .map(([name, value]) => `<input type="hidden" name="${escaped(name)}" value="${escaped(value)}">`)
    .join("")}<p><button>${escaped(label)}</button></p></form>`

/** What the buttons below it are about. */
export const trialHeading = (name: string, id: string): string =>
  `<h2>${escaped(name)}</h2><p><code>${escaped(id)}</code></p>`

/** `text` is a sentence; `content` is HTML, without a script unless that is said. */
export const trialPage = (text: string, content: string, hasScript = false): FakeAnswer => ({
  status: 200,
  headers: {
    "content-security-policy": `default-src 'none'; style-src 'unsafe-inline'; form-action *${hasScript ? "; script-src 'unsafe-inline'" : ""}`,
    "cache-control": "no-store"
  },
  contentType: "text/html; charset=utf-8",
  body: `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Trial: no real bank</title>
<style>body{font:1rem/1.5 system-ui;max-width:34rem;margin:3rem auto;padding:0 1rem}code{word-break:break-all}</style></head>
<body><h1>Trial: no real bank</h1><p>${escaped(text)}</p>${content}</body></html>`
})

/** A button for each institution, which sends its id as `field`, and one that sends none; what else is `sent` goes along. */
export const trialChoice = (
  text: string,
  sent: Readonly<Record<string, string>>,
  field: string,
  offered: ReadonlyArray<{ readonly id: string; readonly name: string }>
): FakeAnswer =>
  trialPage(
    text,
    [...offered, { id: "", name: "Cancel" }].map(({ id, name }) => trialForm({ ...sent, [field]: id }, name)).join("")
  )

/** The person goes back to the program that sent them, with what is reported; where nobody did, the page says it. */
export const trialReturn = (
  { redirect }: { readonly redirect?: string | undefined },
  told: Readonly<Record<string, string>>
): FakeAnswer => {
  if (redirect === undefined) {
    const id = told["connection_id"]
    return id === undefined
      ? trialPage("You can close this window.", "")
      : trialPage("This is the id of the connection:", `<p><code>${id}</code></p>`)
  }
  const back = new URL(redirect)
  for (const [name, value] of Object.entries(told)) back.searchParams.set(name, value)
  return { status: 303, headers: { location: back.href }, body: "", contentType: "text/plain" }
}

/** What a widget tells the page that it is a frame of. */
export const trialMessage = (told: Readonly<Record<string, unknown>>): FakeAnswer =>
  trialPage(
    "You can go on in the page around this one.",
    `<script>parent.postMessage(${JSON.stringify(told).replaceAll("<", "\\u003c")}, "*")</script>`,
    true
  )
