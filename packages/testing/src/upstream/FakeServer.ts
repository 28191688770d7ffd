/**
 * The HTTP side of every fake upstream: a server on 127.0.0.1 that keeps each request with its time, lets what a script
 * planned happen to it, and else hands it to the protocol of the fake.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { Seeded } from "../model/Seeded.ts"
import type { FakeAnswer, FakeRequest } from "./FakeRequest.ts"
import { type FakeTime, fakeTime } from "./FakeTime.ts"
import { type Incident, type IncidentPlan, isRefusal, type Refusal } from "./Incident.ts"
import {
  mutatedJson,
  withAccounts,
  withUnknownEnums,
  withRow,
  withUnknownFields,
  withUnreadableRow
} from "./JsonMutator.ts"
import { type Excess, type RequestLimit, RequestLimits } from "./RequestLimits.ts"

/** What a fake brings: how its upstream names, answers and refuses requests. */
export interface FakeProtocol {
  /** What the request is about. It must not change anything. */
  readonly about: (request: Omit<FakeRequest, "endpoint">) => Pick<FakeRequest, "endpoint" | "connectionRef">
  /** The true answer; it may change what the upstream holds. */
  readonly answer: (request: FakeRequest) => FakeAnswer | Promise<FakeAnswer>
  /** A refusal in the words, and with the hints, of the upstream. */
  readonly refuse: (refusal: Refusal, request: FakeRequest) => FakeAnswer
  /** Keys of answers whose words are those of a closed list. */
  readonly enumKeys: ReadonlySet<string>
  /** Limits that it holds its clients to; none unless given. */
  readonly limits?: ReadonlyArray<RequestLimit>
}

/** Something that a script does right before or after a request is answered. */
export interface Interruption {
  readonly only?: (request: FakeRequest) => boolean
  readonly act: (request: FakeRequest) => void
}

interface Hold {
  readonly until: number
  readonly isHeld: (request: FakeRequest) => boolean
}

/** Bytes of a request that are read at most. */
const mostBytes = 8 * 1_048_576

const textOf = (body: unknown): string => (typeof body === "string" ? body : JSON.stringify(body))

const page = "<!doctype html><html><head><title>We will be back</title></head><body><h1>Maintenance</h1></body></html>"

const takeFirst = <A>(list: Array<A>, test: (item: A) => boolean): A | undefined => {
  const at = list.findIndex(test)
  return at < 0 ? undefined : list.splice(at, 1)[0]
}

export class FakeServer {
  readonly url: string
  /** All requests, in the order in which they came. */
  readonly requests: Array<FakeRequest> = []
  /** Requests that came before a 429 had allowed them. */
  readonly tooEarly: Array<FakeRequest> = []
  /** Requests beyond a limit. */
  readonly exceeded: Array<Excess> = []
  /** Whether requests beyond a limit are refused, too; they are reported in `exceeded` at any rate. */
  enforcesLimits = false
  /** Pages for people that are no part of the upstream: what they answer is not counted, and nothing planned happens to it. */
  pages: ((request: FakeRequest) => FakeAnswer | undefined) | undefined = undefined
  private readonly protocol: FakeProtocol
  private readonly time: FakeTime
  private readonly limits: RequestLimits
  private readonly plans: Array<{ readonly plan: IncidentPlan; left: number }> = []
  private readonly before: Array<Interruption> = []
  private readonly after: Array<Interruption> = []
  private readonly holds: Array<Hold> = []
  private waiting: Array<() => void> = []

  constructor(url: string, protocol: FakeProtocol, time: FakeTime) {
    this.url = url
    this.protocol = protocol
    this.time = time
    this.limits = new RequestLimits(protocol.limits ?? [])
  }

  /** Lets it happen to the next requests that it is about. Earlier plans come first. */
  plan(plan: IncidentPlan): void {
    this.plans.push({ plan, left: plan.times ?? 1 })
  }

  /** Forgets what was planned and has not happened. */
  calm(): void {
    this.plans.length = 0
    this.before.length = 0
    this.after.length = 0
  }

  /** Does something right before the next such request is answered: the bank moves while somebody pages. */
  beforeNext(interruption: Interruption): void {
    this.before.push(interruption)
  }

  /** Does something right after the next such request was answered. */
  afterNext(interruption: Interruption): void {
    this.after.push(interruption)
  }

  /** Until a request arrives that has not arrived yet: what a test waits for before it moves simulated time. */
  nextRequest(): Promise<void> {
    return new Promise((resolve) => this.waiting.push(resolve))
  }

  private heed(refusal: Refusal & { readonly kind: "rateLimited" }, request: FakeRequest): void {
    const { connectionRef, endpoint } = request
    const { retryAfter, scope = "client" } = refusal
    this.holds.push({
      until: request.at + retryAfter * 1000,
      isHeld: (next) =>
        scope === "client" ||
        (connectionRef === next.connectionRef && (scope === "connection" || endpoint === next.endpoint))
    })
  }

  private incidentOf(request: FakeRequest): Incident | undefined {
    const found = this.plans.find(({ left, plan }) => left > 0 && (plan.only?.(request) ?? true))
    if (found === undefined) return undefined
    found.left--
    return found.plan.incident
  }

  private refusalAnswer(refusal: Refusal, request: FakeRequest): FakeAnswer {
    if (refusal.kind === "rateLimited") this.heed(refusal, request)
    return this.protocol.refuse(refusal, request)
  }

  private async trueAnswer(request: FakeRequest): Promise<FakeAnswer> {
    takeFirst(this.before, ({ only }) => only?.(request) ?? true)?.act(request)
    const answer = await this.protocol.answer(request)
    takeFirst(this.after, ({ only }) => only?.(request) ?? true)?.act(request)
    return answer
  }

  private changedAnswer(incident: Incident, answer: FakeAnswer, { path }: FakeRequest): FakeAnswer {
    const text = textOf(answer.body)
    switch (incident.kind) {
      case "unknownEnum":
        return { ...answer, body: withUnknownEnums(text, this.protocol.enumKeys) }
      case "unknownFields":
        return { ...answer, body: withUnknownFields(text) }
      case "unreadableRow":
        return { ...answer, body: withUnreadableRow(text, incident.id, incident.kept) }
      case "row":
        return { ...answer, body: withRow(text, incident.id, incident.change) }
      case "accounts": {
        const { change, id } = incident
        return { ...answer, body: withAccounts(text, path.endsWith("/accounts"), id, change) }
      }
      case "mutated":
        return { ...answer, body: mutatedJson(text, new Seeded(incident.seed)) }
      default:
        return answer
    }
  }

  async serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Array<Uint8Array> = []
    let bytes = 0
    for await (const chunk of incoming as AsyncIterable<Uint8Array>) {
      bytes += chunk.length
      if (bytes > mostBytes) return void response.destroy()
      chunks.push(chunk)
    }
    const rawBody = new Uint8Array(Buffer.concat(chunks))
    const [path = "", rawQuery = ""] = (incoming.url ?? "/").split(/\?(.*)/su)
    const asked = {
      at: this.time.now(),
      method: incoming.method ?? "GET",
      path,
      query: new URLSearchParams(rawQuery),
      rawQuery,
      headers: Object.fromEntries(
        Object.entries(incoming.headers).map(([name, value]) => [
          name,
          Array.isArray(value) ? value.join(", ") : (value ?? "")
        ])
      ),
      body: new TextDecoder().decode(rawBody),
      rawBody
    }
    const request: FakeRequest = { ...asked, ...this.protocol.about(asked) }
    const own = this.pages?.(request)
    if (own !== undefined) return this.send(own, request, response)
    this.requests.push(request)
    if (this.holds.some(({ isHeld, until }) => request.at < until && isHeld(request))) this.tooEarly.push(request)
    const excess = this.limits.count(request)
    if (excess !== undefined) this.exceeded.push(excess)
    for (const resolve of this.waiting.splice(0)) resolve()
    const incident = this.incidentOf(request)
    if (excess !== undefined && this.enforcesLimits && incident === undefined) {
      const scope = excess.limit.endpoint !== undefined ? "endpoint" : excess.limit.per
      const refusal = { kind: "rateLimited", retryAfter: excess.retryAfter, scope } as const
      return this.send(this.refusalAnswer(refusal, request), request, response)
    }
    await this.happen(incident, request, response)
  }

  private async happen(incident: Incident | undefined, request: FakeRequest, response: ServerResponse): Promise<void> {
    if (incident === undefined) return this.send(await this.trueAnswer(request), request, response)
    if (isRefusal(incident)) return this.send(this.refusalAnswer(incident, request), request, response)
    switch (incident.kind) {
      case "answer":
        return this.send(incident, request, response)
      case "htmlPage":
        return this.send({ status: incident.status ?? 200, body: page, contentType: "text/html" }, request, response)
      case "dropped":
        return void response.destroy()
      case "lost":
        await this.trueAnswer(request)
        return void response.destroy()
      case "slow":
        await this.time.sleep(incident.seconds * 1000)
        return this.send(await this.trueAnswer(request), request, response)
      case "halfOpen":
        response.writeHead(200, { "content-type": "application/json" })
        response.write('{"')
        return
      case "truncated": {
        const text = Buffer.from(textOf((await this.trueAnswer(request)).body))
        response.writeHead(200, { "content-type": "application/json", "content-length": text.length })
        response.write(text.subarray(0, Math.floor(text.length / 2)), () => response.destroy())
        return
      }
      default:
        return this.send(this.changedAnswer(incident, await this.trueAnswer(request), request), request, response)
    }
  }

  private send(answer: FakeAnswer, request: FakeRequest, response: ServerResponse): void {
    request.status = answer.status
    if (response.destroyed) return
    response.writeHead(answer.status, { "content-type": answer.contentType ?? "application/json", ...answer.headers })
    response.end(textOf(answer.body))
  }
}

const listening = (server: Server, port: number): Promise<string> =>
  new Promise((resolve, reject) => {
    server.once("error", reject)
    server.listen(port, "127.0.0.1", () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`))
  })

/** Starts the server of a fake; it is closed with the scope. A free port unless one is given. */
export const startFakeServer = (
  protocol: (at: { readonly url: string; readonly time: FakeTime }) => FakeProtocol,
  options: { readonly port?: number } = {}
): Effect.Effect<FakeServer, never, Scope.Scope> =>
  Effect.gen(function* () {
    const time = yield* fakeTime
    const { server } = yield* Effect.acquireRelease(
      Effect.promise(async () => {
        const http = createServer((incoming, response) => {
          fake.serve(incoming, response).catch((error: unknown) => {
            // A fault of the fake itself must be seen by its user, and be no answer of the upstream.
            if (!response.headersSent) response.writeHead(599, { "content-type": "text/plain" })
            response.end(`the fake upstream failed: ${String(error)}`)
          })
        })
        // An idle connection is not closed under a client that is about to use it: tests may stand still for long.
        http.keepAliveTimeout = 0
        const url = await listening(http, options.port ?? 0)
        const fake = new FakeServer(url, protocol({ url, time }), time)
        return { http, server: fake }
      }),
      ({ http }) =>
        Effect.sync(() => {
          http.close()
          http.closeAllConnections()
        })
    )
    return server
  })
