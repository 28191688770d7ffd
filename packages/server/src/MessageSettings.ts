/** How messages to people leave the server, as the environment says. */
import type { ChannelOptions } from "@millrace/adapters"
import * as Config from "effect/Config"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"

const optional = <A>(config: Config.Config<A>) => Config.map(Config.option(config), Option.getOrUndefined)

export const messageConfig = Config.all({
  host: optional(Config.String("MILLRACE_SMTP_HOST")),
  port: optional(Config.String("MILLRACE_SMTP_PORT")),
  tls: optional(Config.String("MILLRACE_SMTP_TLS")),
  user: optional(Config.String("MILLRACE_SMTP_USER")),
  secret: optional(Config.Redacted("MILLRACE_SMTP_SECRET")),
  from: optional(Config.String("MILLRACE_SMTP_FROM")),
  smsUrl: optional(Config.String("MILLRACE_SMS_URL")),
  smsSecret: optional(Config.Redacted("MILLRACE_SMS_SECRET"))
})

interface Raw {
  readonly host: string | undefined
  readonly port: string | undefined
  readonly tls: string | undefined
  readonly user: string | undefined
  readonly secret: Redacted.Redacted | undefined
  readonly from: string | undefined
  readonly smsUrl: string | undefined
  readonly smsSecret: Redacted.Redacted | undefined
}

/** By name, for help and docs. */
export const messageSettingNames: Readonly<Record<string, string>> = {
  MILLRACE_SMTP_HOST: "mail server that alerts and digests are sent by; without it no mail is sent",
  MILLRACE_SMTP_PORT: "its port (default 465 with TLS implicit, 587 otherwise)",
  MILLRACE_SMTP_TLS:
    "implicit: TLS from the first byte; starttls: TLS or nothing; none: in the open (default starttls, implicit with port 465)",
  MILLRACE_SMTP_USER: "who the server is there; without it nobody in particular",
  MILLRACE_SMTP_SECRET: "the password or token of that user",
  MILLRACE_SMTP_FROM: "who mail comes from, such as Millrace <millrace@example.com>",
  MILLRACE_SMS_URL: "https address that is handed text messages as {id, to, text}; without it none are sent",
  MILLRACE_SMS_SECRET: "sent there as Authorization: Bearer"
}

const modes = ["implicit", "starttls", "none"] as const
const isMode = (text: string): text is (typeof modes)[number] => modes.some((mode) => mode === text)
const fromForm = /^(?:[^<>\r\n]{1,100}<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/u

const smtpOf = ({ from, host, port, secret, tls, user }: Raw): Result.Result<ChannelOptions, string> => {
  if (host === undefined) {
    const orphan = Object.entries({ FROM: from, PORT: port, SECRET: secret, TLS: tls, USER: user }).find(
      ([, value]) => value !== undefined
    )
    return orphan === undefined
      ? Result.succeed({})
      : Result.fail(`MILLRACE_SMTP_${orphan[0]} needs MILLRACE_SMTP_HOST: the mail server.`)
  }
  if (!/^[^\s/@]{1,253}$/.test(host))
    return Result.fail(`MILLRACE_SMTP_HOST must be the name of a host, and is "${host}".`)
  if (port !== undefined && !(/^\d{1,5}$/.test(port) && Number(port) >= 1 && Number(port) <= 65_535)) {
    return Result.fail(`MILLRACE_SMTP_PORT must be a whole number from 1 to 65535, and is "${port}".`)
  }
  const mode = tls ?? (port === "465" ? "implicit" : "starttls")
  if (!isMode(mode)) return Result.fail(`MILLRACE_SMTP_TLS must be one of ${modes.join(", ")}, and is "${mode}".`)
  if (from === undefined || !fromForm.test(from.trim())) {
    return Result.fail("MILLRACE_SMTP_FROM must be an e-mail address, such as Millrace <millrace@example.com>.")
  }
  if ((user === undefined) !== (secret === undefined)) {
    return Result.fail("MILLRACE_SMTP_USER and MILLRACE_SMTP_SECRET belong together: set both, or neither.")
  }
  if (user !== undefined && mode === "none" && !/^(?:localhost|127\.\d+\.\d+\.\d+|\[?::1\]?)$/.test(host)) {
    return Result.fail("MILLRACE_SMTP_TLS=none would send MILLRACE_SMTP_SECRET in the open: use starttls or implicit.")
  }
  return Result.succeed({
    smtp: {
      host,
      port: port === undefined ? (mode === "implicit" ? 465 : 587) : Number(port),
      tls: mode,
      from: from.trim(),
      ...(user === undefined || secret === undefined ? {} : { user, secret })
    }
  })
}

const smsOf = ({ smsSecret, smsUrl }: Raw): Result.Result<ChannelOptions, string> => {
  if (smsUrl === undefined) {
    return smsSecret === undefined ? Result.succeed({}) : Result.fail("MILLRACE_SMS_SECRET needs MILLRACE_SMS_URL.")
  }
  const url = URL.parse(smsUrl)
  // Where `http:` may be used is for `MILLRACE_PRIVATE_HOSTS` to say.
  if (url === null || !["http:", "https:"].includes(url.protocol) || url.username !== "") {
    return Result.fail("MILLRACE_SMS_URL must be an address that begins with https://, without user and password.")
  }
  return Result.succeed({ sms: { url: smsUrl, ...(smsSecret === undefined ? {} : { secret: smsSecret }) } })
}

/** What the environment says of channels, or which setting cannot be used. */
export const channelsOf = (raw: Raw): Result.Result<ChannelOptions, string> =>
  Result.flatMap(smtpOf(raw), (smtp) => Result.map(smsOf(raw), (sms) => ({ ...smtp, ...sms })))
