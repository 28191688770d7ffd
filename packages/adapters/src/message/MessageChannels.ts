/** What carries messages: mail by SMTP, and the rest by the one client for requests outside. */
import { Channels, MessageNotSent, type Outgoing } from "@millrace/core/message"
import type { Outbound } from "@millrace/core/outbound"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { makeHttpChannels, type SmsSettings } from "./HttpChannels.ts"
import { smtpMail, type SmtpSettings } from "./SmtpMail.ts"

export interface ChannelOptions {
  /** Without it no mail is sent. */
  readonly smtp?: SmtpSettings
  /** Sends text messages; without it none are sent. */
  readonly sms?: SmsSettings | ((message: Outgoing) => Effect.Effect<void, MessageNotSent>)
}

/** What can be mended by a setting is tried again until it is. */
const notSet = (what: string, setting: string): Effect.Effect<never, MessageNotSent> =>
  Effect.fail(
    new MessageNotSent({ message: `${what} cannot be sent yet: set ${setting}`, final: false, afterSeconds: 300 })
  )

export const layer = (options: ChannelOptions = {}): Layer.Layer<Channels, never, Outbound> =>
  Layer.effect(
    Channels,
    Effect.gen(function* () {
      const { slack, sms, webhook } = yield* makeHttpChannels
      const mail = options.smtp === undefined ? undefined : yield* smtpMail(options.smtp)
      return Channels.of({
        send: (message) => {
          switch (message.endpoint.channel) {
            case "email":
              return mail === undefined ? notSet("E-mail", "MILLRACE_SMTP_HOST and MILLRACE_SMTP_FROM") : mail(message)
            case "slack":
              return slack(message)
            case "webhook":
              return webhook(message)
            case "sms":
              if (options.sms === undefined) return notSet("Text messages", "MILLRACE_SMS_URL")
              return typeof options.sms === "function" ? options.sms(message) : sms(options.sms, message)
          }
        }
      })
    })
  )
