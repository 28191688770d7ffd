/** E-mail over SMTP. The server is the operator's own choice, so it may be anywhere, inside of the network too. */
import { cutLine, htmlText, MessageNotSent, type Outgoing, plainText } from "@millrace/core/message"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"

export interface SmtpSettings {
  readonly host: string
  readonly port: number
  /**
   * `implicit`: TLS from the first byte (port 465). `starttls`: TLS before anything else is said, or nothing is sent.
   * `none`: in the open, for a server on the same machine.
   */
  readonly tls: "implicit" | "starttls" | "none"
  readonly user?: string
  readonly secret?: Redacted.Redacted
  /** `Millrace <millrace@example.com>`, or the address alone. */
  readonly from: string
}

const timeoutMillis = 30_000
const titleLength = 180

const field = (error: unknown, name: string): unknown => (Predicate.hasProperty(error, name) ? error[name] : undefined)

/** Texts of servers may repeat addresses, so none of them goes on. */
const failureOf = ({ host }: SmtpSettings, error: unknown): MessageNotSent => {
  const status = field(error, "responseCode")
  const code = field(error, "code")
  if (code === "EAUTH") {
    return new MessageNotSent({
      message: `The mail server ${host} did not accept user and secret (${String(status)}): check MILLRACE_SMTP_USER and MILLRACE_SMTP_SECRET`,
      final: false
    })
  }
  if (typeof status === "number") {
    const command = field(error, "command")
    const refused =
      status >= 500 && (command === "RCPT TO" || command === "DATA" || code === "EENVELOPE" || code === "EMESSAGE")
    return new MessageNotSent({
      message: refused
        ? `The mail server ${host} refused the message permanently (${status}): check the address of the recipient`
        : `The mail server ${host} did not take the message (${status})`,
      final: refused
    })
  }
  if (code === "ETLS") {
    return new MessageNotSent({
      message: `The mail server ${host} offers no TLS that can be trusted: check MILLRACE_SMTP_TLS`,
      final: false
    })
  }
  return new MessageNotSent({
    message: `The mail server ${host} could not be reached (${typeof code === "string" ? code : "unknown"}): check MILLRACE_SMTP_HOST and MILLRACE_SMTP_PORT`,
    final: false
  })
}

/** The domain of an address, for `Message-ID`. */
const domainOf = (from: string): string => /@([^\s>]+)>?\s*$/u.exec(from)?.[1] ?? "localhost"

/** The same for each try: mail servers and programs that know it show a message once. */
const messageIdOf = (id: string, from: string): string => `<${id}@${domainOf(from)}>`

/** Sends mail over connections that are kept for a while. */
export const smtpMail = Effect.fnUntraced(function* (settings: SmtpSettings) {
  const { from, host, port, secret, tls, user } = settings
  const transport = yield* Effect.acquireRelease(
    // Loaded with the first mail.
    Effect.promise(async () => {
      const { createTransport } = await import("nodemailer")
      return createTransport({
        host,
        port,
        pool: true,
        maxConnections: 2,
        secure: tls === "implicit",
        requireTLS: tls === "starttls",
        ignoreTLS: tls === "none",
        connectionTimeout: timeoutMillis,
        greetingTimeout: timeoutMillis,
        socketTimeout: timeoutMillis,
        disableFileAccess: true,
        disableUrlAccess: true,
        ...(user === undefined
          ? {}
          : { auth: { user, pass: secret === undefined ? "" : String(Redacted.value(secret)) } })
      })
    }),
    (made) => Effect.sync(() => made.close())
  ).pipe(Effect.provideService(Scope.Scope, yield* Effect.scope), Effect.uninterruptible, Effect.cached)

  return Effect.fnUntraced(function* ({ content, createdAt, endpoint, id }: Outgoing) {
    const { sendMail } = yield* Effect.map(transport, (made) => ({ sendMail: made.sendMail.bind(made) }))
    yield* Effect.tryPromise({
      try: () =>
        sendMail({
          from,
          // As an object: a list hidden in one address would be taken apart otherwise.
          to: { name: "", address: endpoint.to },
          subject: cutLine(content.title, titleLength),
          text: plainText(content),
          html: htmlText(content),
          date: new Date(createdAt),
          messageId: messageIdOf(id, from),
          headers: { "Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "All" }
        }),
      catch: (error) => failureOf(settings, error)
    })
  })
})
