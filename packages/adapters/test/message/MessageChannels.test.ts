/** Messages over real sockets: a conversation with a mail server, and requests to local webhooks. */
import { createHmac } from "node:crypto"
import type { AddressInfo } from "node:net"
import { expect, it } from "@effect/vitest"
import { Channels, type Endpoint, type MessageContent, type Outgoing } from "@millrace/core/message"
import { Timestamp } from "@millrace/core"
import type { WorkspaceId } from "@millrace/core/workspace"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { SMTPServer, type SMTPServerOptions } from "smtp-server"
import { layer } from "../../src/message/MessageChannels.ts"
import type { SmtpSettings } from "../../src/message/SmtpMail.ts"
import * as OutboundClient from "../../src/outbound/OutboundClient.ts"
import { privateHosts } from "../../src/outbound/PrivateHosts.ts"
import { type Answer, hostileServer } from "../outbound/HostileServer.ts"

const content: MessageContent = {
  type: "alert.fired",
  title: "Large payment: −1.250,00 € at <b>Café</b>\r\nBcc: victim@example.com",
  brief: "−1.250,00 € at Café",
  intro: "It matches “over 1.000 €”.",
  sections: [
    { heading: "Payment", rows: [{ label: "Description", value: "<script>alert(1)</script> *bold* & <!channel>" }] },
    { rows: [{ label: "Account", value: "Giro ****4711", note: "Demo Bank" }] }
  ],
  footer: "You get this because of the alert “Large payments”.",
  data: { alert: { id: "enr_1", name: "Large payments" }, ordinal: 1 }
}

const messageTo = (endpoint: Endpoint, id = "0mess4ge"): Outgoing => ({
  id,
  workspaceId: "ws_1" as WorkspaceId,
  endpoint,
  content,
  createdAt: Timestamp.make("2026-03-20T08:00:00.000Z")
})

interface Mail {
  readonly from: string
  readonly to: ReadonlyArray<string>
  readonly text: string
  readonly secure: boolean
}

/** A mail server on the loopback that keeps what it is given. */
const mailServer = (options: SMTPServerOptions = {}) =>
  Effect.acquireRelease(
    Effect.promise(
      () =>
        new Promise<{ readonly port: number; readonly mails: Array<Mail>; readonly server: SMTPServer }>((resolve) => {
          const mails: Array<Mail> = []
          const server = new SMTPServer({
            authOptional: true,
            disableReverseLookup: true,
            onData: (stream, session, done) => {
              const chunks: Array<Buffer> = []
              stream.on("data", (chunk: Buffer) => chunks.push(chunk))
              stream.on("end", () => {
                const { mailFrom, rcptTo } = session.envelope
                mails.push({
                  from: mailFrom === false ? "" : mailFrom.address,
                  to: rcptTo.map(({ address }) => address),
                  text: Buffer.concat(chunks).toString("utf8"),
                  secure: session.secure
                })
                done()
              })
            },
            ...options
          })
          server.on("error", () => undefined)
          const listening = server.listen(0, "127.0.0.1", () =>
            resolve({ port: (listening.address() as AddressInfo).port, mails, server })
          )
        })
    ),
    ({ server }) => Effect.promise(() => new Promise<void>((resolve) => void server.close(() => resolve())))
  )

const open: Pick<SmtpSettings, "host" | "tls" | "from"> = {
  host: "127.0.0.1",
  tls: "none",
  from: "Millrace <millrace@example.com>"
}

const withMail = (settings: SmtpSettings) =>
  Effect.provide(layer({ smtp: settings }).pipe(Layer.provide(OutboundClient.layer())))

const send = (message: Outgoing) => Effect.flatMap(Channels, (channels) => channels.send(message))

/** Base64 and quoted-printable parts as text. */
const unpacked = (mail: string): string =>
  mail
    .split(/\r\n--[^\r\n]+\r\n/u)
    .map((part) => {
      const [head = "", ...body] = part.split("\r\n\r\n")
      const text = body.join("\r\n\r\n")
      if (/encoding: base64/iu.test(head)) return Buffer.from(text, "base64").toString("utf8")
      if (!/encoding: quoted-printable/iu.test(head)) return text
      const bytes = text
        .replaceAll("=\r\n", "")
        .replaceAll(/=([0-9A-F]{2})/gu, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
      return Buffer.from(bytes, "latin1").toString("utf8")
    })
    .join("\n")

const header = (mail: string, name: string): ReadonlyArray<string> =>
  mail
    .split("\r\n\r\n")[0]!
    .replaceAll(/\r\n[ \t]+/gu, " ")
    .split("\r\n")
    .filter((line) => line.toLowerCase().startsWith(`${name.toLowerCase()}:`))
    .map((line) => line.slice(name.length + 1).trim())

it.live("a mail comes with its key as Message-ID, in plain text and HTML, and nothing of a record is markup", () =>
  Effect.gen(function* () {
    const { mails, port } = yield* mailServer({ disabledCommands: ["STARTTLS"] })
    const message = messageTo({ channel: "email", to: "owner@example.com" })
    yield* Effect.gen(function* () {
      yield* send(message)
      yield* send(message)
    }).pipe(withMail({ ...open, port }))
    expect(mails).toHaveLength(2)
    const [first, second] = mails
    expect([first!.from, first!.to]).toEqual(["millrace@example.com", ["owner@example.com"]])
    expect(header(first!.text, "Message-ID")).toEqual(["<0mess4ge@example.com>"])
    expect(header(second!.text, "Message-ID")).toEqual(header(first!.text, "Message-ID"))
    expect(header(first!.text, "Date")).toEqual(["Fri, 20 Mar 2026 08:00:00 +0000"])
    expect([header(first!.text, "Bcc"), header(first!.text, "Auto-Submitted")]).toEqual([[], ["auto-generated"]])
    const body = unpacked(first!.text)
    expect(body).toContain("  Description: <script>alert(1)</script> *bold* & <!channel>")
    expect(body).toContain("&lt;script&gt;alert(1)&lt;/script&gt; *bold* &amp; &lt;!channel&gt;")
    expect(body).toContain("Account: Giro ****4711 (Demo Bank)")
    // The one <script> is in the plain part.
    expect(body.split("<script").length).toBe(2)
  }).pipe(Effect.scoped)
)

it.live("a mail server is told user and secret over TLS, and a certificate that nobody vouches for is refused", () =>
  Effect.gen(function* () {
    const { mails, port } = yield* mailServer()
    const failure = yield* send(messageTo({ channel: "email", to: "owner@example.com" })).pipe(
      withMail({ ...open, port, tls: "starttls", user: "millrace", secret: Redacted.make("s3cret") }),
      Effect.flip
    )
    expect(mails).toEqual([])
    expect([failure.final, failure.message]).toEqual([false, expect.stringContaining("127.0.0.1")])
    expect(failure.message).not.toContain("s3cret")
  }).pipe(Effect.scoped)
)

const mailFaults: ReadonlyArray<readonly [what: string, options: SMTPServerOptions, final: boolean, text: string]> = [
  [
    "a mailbox that does not exist",
    { onRcptTo: (_, __, done) => done(Object.assign(new Error("owner@example.com unknown"), { responseCode: 550 })) },
    true,
    "refused the message permanently (550)"
  ],
  [
    "a mailbox that is full for now",
    { onRcptTo: (_, __, done) => done(Object.assign(new Error("full"), { responseCode: 452 })) },
    false,
    "did not take the message (452)"
  ],
  [
    "a server that is busy",
    { onConnect: (_, done) => done(Object.assign(new Error("busy"), { responseCode: 421 })) },
    false,
    "127.0.0.1"
  ]
]

it.live.each(mailFaults)("%s is told without the words of the server", ([, options, final, text]) =>
  Effect.gen(function* () {
    const { port } = yield* mailServer({ disabledCommands: ["STARTTLS"], ...options })
    const failure = yield* send(messageTo({ channel: "email", to: "owner@example.com" })).pipe(
      withMail({ ...open, port }),
      Effect.flip
    )
    expect([failure.final, failure.message]).toEqual([final, expect.stringContaining(text)])
    expect(failure.message).not.toContain("owner@example.com")
  }).pipe(Effect.scoped)
)

it.live("mail waits until there is a server for it", () =>
  Effect.gen(function* () {
    const failure = yield* send(messageTo({ channel: "email", to: "owner@example.com" })).pipe(
      Effect.provide(layer().pipe(Layer.provide(OutboundClient.layer()))),
      Effect.flip
    )
    expect(failure).toMatchObject({ final: false, message: expect.stringContaining("MILLRACE_SMTP_HOST") })
  })
)

interface Posted {
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: string
}

const hooks = Effect.fnUntraced(function* (status = 200, headers: Readonly<Record<string, string>> = {}) {
  const posted: Array<Posted> = []
  const answer: Answer = (request, response) => {
    let body = ""
    request.setEncoding("utf8")
    request.on("data", (chunk: string) => (body += chunk))
    request.on("end", () => {
      posted.push({ headers: request.headers, body })
      response.writeHead(status, headers).end("ok")
    })
  }
  const server = yield* hostileServer(answer)
  const url = `http://127.0.0.1:${server.port}/hook?token=t0ken`
  const channels = layer({ sms: { url, secret: Redacted.make("sms-s3cret") } }).pipe(
    Layer.provide(OutboundClient.layer({ privateHosts: Result.getOrThrow(privateHosts([`127.0.0.1:${server.port}`])) }))
  )
  return { posted, url, provided: Effect.provide(channels) }
})

it.live("a webhook is signed by Standard Webhooks, with the same id and body at each try", () =>
  Effect.gen(function* () {
    const { posted, provided, url } = yield* hooks()
    const key = Buffer.alloc(32, 9)
    const message = messageTo({ channel: "webhook", to: url, secret: `whsec_${key.toString("base64")}` })
    yield* provided(Effect.andThen(send(message), send(message)))
    const [first, second] = posted
    expect(first!.body).toBe(second!.body)
    expect(JSON.parse(first!.body)).toMatchObject({
      type: "alert.fired",
      timestamp: "2026-03-20T08:00:00.000Z",
      data: { alert: { id: "enr_1", name: "Large payments" }, ordinal: 1 }
    })
    const { "webhook-id": id, "webhook-signature": signed, "webhook-timestamp": at } = first!.headers
    expect([id, second!.headers["webhook-id"]]).toEqual(["0mess4ge", "0mess4ge"])
    expect(Math.abs(Number(at) - Date.now() / 1_000)).toBeLessThan(60)
    const expected = createHmac("sha256", key)
      .update(`${String(id)}.${String(at)}.${first!.body}`)
      .digest("base64")
    expect(signed).toBe(`v1,${expected}`)
  }).pipe(Effect.scoped)
)

it.live("Slack is sent blocks in which nothing of a record mentions anybody", () =>
  Effect.gen(function* () {
    const { posted, provided, url } = yield* hooks()
    yield* provided(send(messageTo({ channel: "slack", to: url })))
    const { body } = posted[0]!
    expect(body).toContain("&lt;!channel&gt;")
    expect(body).not.toContain("<!channel>")
    expect(JSON.parse(body).blocks[0].text).toMatchObject({ type: "plain_text" })
  }).pipe(Effect.scoped)
)

it.live("a text message is handed over with its id, in one line", () =>
  Effect.gen(function* () {
    const { posted, provided } = yield* hooks()
    yield* provided(send(messageTo({ channel: "sms", to: "+31612345678" })))
    const { body, headers } = posted[0]!
    expect(JSON.parse(body)).toEqual({
      id: "0mess4ge",
      to: "+31612345678",
      text: "Large payment: −1.250,00 € at <b>Café</b> Bcc: victim@example.com"
    })
    expect([headers["idempotency-key"], headers["authorization"]]).toEqual(["0mess4ge", "Bearer sms-s3cret"])
  }).pipe(Effect.scoped)
)

it.live.each([
  [404, {}, true, undefined],
  [429, { "retry-after": "120" }, false, 120],
  [503, {}, false, undefined],
  [302, { location: "http://127.0.0.1:1/" }, true, undefined]
] as const)(
  "an answer of %i is told without the address, and tried again where that can help",
  ([status, headers, final, wait]) =>
    Effect.gen(function* () {
      const { provided, url } = yield* hooks(status, headers)
      const failure = yield* provided(Effect.flip(send(messageTo({ channel: "webhook", to: url }))))
      expect([failure.final, failure.afterSeconds]).toEqual([final, wait])
      expect(failure.message).toContain(String(status))
      expect(failure.message).not.toContain("t0ken")
    }).pipe(Effect.scoped)
)
