/** What stands at the root of the server: a small page for people, and where to go for programs. */
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import { apiVersion } from "./api/Api.ts"
import { Readiness, type ReadinessState } from "./Readiness.ts"

const stateOf = ({ database, draining, migrations }: ReadinessState): readonly [well: boolean, sentence: string] =>
  draining
    ? [false, "This server is stopping. It answers until its jobs are given back."]
    : database && migrations
      ? [true, "This server is running and its database answers."]
      : [false, "This server is running, but its database does not answer."]

const style = `
  :root { color-scheme: light dark; --line: #8884; --good: #1a7f4b; --bad: #b3261e }
  @media (prefers-color-scheme: dark) { :root { --good: #5fd39a; --bad: #ff8a80 } }
  body { font: 16px/1.6 system-ui, sans-serif; max-width: 40rem; margin: 12vh auto 4rem; padding: 0 1.5rem }
  h1 { font-size: 1.75rem; margin: 0 0 .25rem }
  p { margin: .5rem 0 }
  .state { font-weight: 600 }
  .well { color: var(--good) } .ill { color: var(--bad) }
  dl { display: grid; grid-template-columns: max-content 1fr; gap: .6rem 1.25rem; margin: 1.75rem 0 0; padding: 1.25rem 0 0; border-top: 1px solid var(--line) }
  dt { font-weight: 600 } dd { margin: 0 }
  code { font: .9em ui-monospace, monospace; background: #8882; padding: .1em .35em; border-radius: 4px }
  @media (max-width: 30rem) { dl { grid-template-columns: 1fr; gap: .1rem } dd { margin-bottom: .8rem } }`

const pageOf = (state: ReadinessState): string => {
  const [well, sentence] = stateOf(state)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Millrace</title>
<style>${style}
</style>
</head>
<body>
<main>
<h1>Millrace</h1>
<p>Bank data in, kept exact, enriched, and delivered to the places people work in. This is its API, version ${apiVersion}.</p>
<p class="state ${well ? "well" : "ill"}">${sentence}</p>
<dl>
<dt>Reference</dt><dd><a href="/docs">/docs</a> lists every operation and lets you try it. <a href="/openapi.json">/openapi.json</a> is the same for programs.</dd>
<dt>API key</dt><dd>The first start prints the owner’s key once, on the server’s own terminal. <code>npm start -- --new-key</code> makes another.</dd>
<dt>AI clients</dt><dd><code>/mcp</code> on this address serves the operations as tools (MCP), with the same key.</dd>
<dt>First call</dt><dd><code>curl -H "X-API-Key: $KEY" &lt;this address&gt;/v1/whoami</code></dd>
<dt>Health</dt><dd><a href="/livez">/livez</a> and <a href="/readyz">/readyz</a></dd>
</dl>
</main>
</body>
</html>
`
}

const links = { self: "/", docs: "/docs", openapi: "/openapi.json", live: "/livez", ready: "/readyz" }

/** Nothing of it comes from elsewhere, and nothing may put it into a frame. */
const policy =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const isBrowser = (accepted: string | undefined): boolean => accepted?.toLowerCase().includes("text/html") === true

const welcome = (readiness: Effect.Effect<ReadinessState>) =>
  Effect.gen(function* () {
    const { headers } = yield* HttpServerRequest
    if (isBrowser(headers["accept"])) {
      const page = HttpServerResponse.html(pageOf(yield* readiness))
      return HttpServerResponse.setHeaders(page, { "content-security-policy": policy, vary: "accept" })
    }
    const data = { name: "Millrace", apiVersion, docs: "/docs", openapi: "/openapi.json", mcp: "/mcp" }
    return HttpServerResponse.jsonUnsafe({ success: true, data, links }, { headers: { vary: "accept" } })
  })

export const layer = Layer.unwrap(Effect.map(Readiness, (readiness) => HttpRouter.add("GET", "/", welcome(readiness))))
