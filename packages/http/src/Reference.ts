/**
 * `/docs`: the reference for people, by Scalar. Nothing of it comes from elsewhere, and its scripts are files of their own, so
 * that browsers run nothing that stands in the page.
 */
import type * as HttpApi from "effect/http-api/HttpApi"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiScalar from "effect/http-api/HttpApiScalar"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import { favicon } from "./Favicon.ts"

/** Scalar has more settings than the types of Effect name. */
const settings: HttpApiScalar.ScalarConfig & Readonly<Record<string, unknown>> = {
  withDefaultFonts: false,
  telemetry: false,
  showOperationId: true,
  // Both offer the services of another firm, and to send it this document.
  showDeveloperTools: "never",
  hideClientButton: true,
  authentication: { preferredSecurityScheme: "apiKey" },
  favicon: "/favicon.ico",
  customCss: "body { overflow-wrap: anywhere } .scalar-app { max-width: 100vw; overflow-x: clip }"
}

/** The page as Effect makes it. */
const wholePage = <Id extends string, Groups extends HttpApiGroup.Constraint>(api: HttpApi.HttpApi<Id, Groups>) =>
  Effect.gen(function* () {
    const router = yield* HttpRouter.make
    yield* Layer.build(
      HttpApiScalar.layer(api, { path: "/docs", scalar: settings }).pipe(
        Layer.provide(Layer.succeed(HttpRouter.HttpRouter, router))
      )
    )
    const request = new Request("http://localhost/docs")
    const response = yield* Effect.provideService(
      router.asHttpEffect(),
      HttpServerRequest.HttpServerRequest,
      HttpServerRequest.fromWeb(request)
    )
    return yield* Effect.promise(() => HttpServerResponse.toWeb(response).text())
  }).pipe(Effect.scoped, Effect.orDie)

const script = (text: string) => HttpServerResponse.text(text, { contentType: "text/javascript" })

/** The page and the scripts that it names: that of Scalar, and the one that starts it. */
const partsOf = (whole: string) => {
  const scripts: Array<string> = []
  const page = whole.replaceAll(/<script>([\s\S]*?)<\/script>/g, (_, text: string) => {
    scripts.push(text)
    return `<script src="/docs/${scripts.length === 1 ? "scalar" : "start"}.js"></script>`
  })
  const [scalar, start] = scripts
  if (scalar === undefined || start === undefined || scripts.length !== 2) {
    throw new Error("The page of the reference does not have the two scripts that are expected of it")
  }
  return { page: page.replace("<html>", '<html lang="en">'), scalar, start }
}

/** Serves the reference, its scripts and the icon of the site. */
export const layer = <Id extends string, Groups extends HttpApiGroup.Constraint>(api: HttpApi.HttpApi<Id, Groups>) =>
  HttpRouter.use(
    Effect.fnUntraced(function* (router) {
      // Made when somebody asks first: most servers are never asked.
      const parts = yield* Effect.cached(Effect.map(wholePage(api), partsOf))
      yield* router.add(
        "GET",
        "/docs",
        Effect.map(parts, ({ page }) => HttpServerResponse.html(page))
      )
      yield* router.add(
        "GET",
        "/docs/scalar.js",
        Effect.map(parts, ({ scalar }) => script(scalar))
      )
      yield* router.add(
        "GET",
        "/docs/start.js",
        Effect.map(parts, ({ start }) => script(start))
      )
      yield* router.add("GET", "/favicon.ico", HttpServerResponse.uint8Array(favicon, { contentType: "image/x-icon" }))
    })
  )
