/** Where messages to people go: the block `destinations` of alerts, monitors and digests (enrichments C14). */
import * as Schema from "effect/Schema"
import { isMasked } from "./DestinationSecrets.ts"
import type { NamedHosts } from "./MessageHosts.ts"
import { isOpenHost } from "./OpenHost.ts"

const mostRecipients = 20
const mostPhoneNumbers = 10

/** A mailbox as people write it: no display name, no comments, no line ends. */
const address =
  /^[^\s@<>()[\]\\,;:"]{1,64}@(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.)+[\p{L}\p{N}-]{2,63}$/u

const EmailAddress = Schema.String.check(
  Schema.isMaxLength(254),
  Schema.makeFilter((text) => address.test(text) || "must be an e-mail address such as name@example.com")
)

/** A mask that stands for nothing that is kept. */
const masked = "is masked as answers show it, and nothing like it is kept here: send it whole"

const urlFault = (text: string): string | true => {
  if (isMasked(text)) return masked
  const url = URL.parse(text)
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:")) {
    return "must be an address that begins with https://"
  }
  return (url.username === "" && url.password === "") || "must not hold a user or password"
}

/** Whether it may be asked depends on the hosts that the operator names: `destinationFaults`. */
const WebAddress = Schema.String.check(Schema.isMaxLength(2_048), Schema.makeFilter(urlFault))

const PhoneNumber = Schema.String.check(
  Schema.makeFilter(
    (text) => /^\+[1-9]\d{6,14}$/.test(text) || "must be a number in international form, such as +31612345678"
  )
)

/** 24 to 64 bytes in base64 behind `whsec_`, as Standard Webhooks has it. */
const SigningSecret = Schema.String.check(
  Schema.makeFilter((text) =>
    isMasked(text)
      ? masked
      : /^whsec_(?:[A-Za-z0-9+/]{4}){8,21}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text) ||
        "must be whsec_ and 24 to 64 bytes in base64"
  )
)

const listOf = <S extends Schema.Codec<string>>(item: S, most: number) =>
  Schema.Array(item).check(Schema.isBetweenLength(1, most))

const Email = Schema.Struct({ type: Schema.Literal("email"), recipients: listOf(EmailAddress, mostRecipients) })
const Slack = Schema.Struct({ type: Schema.Literal("slack"), webhookUrl: WebAddress })
const Webhook = Schema.Struct({
  type: Schema.Literal("webhook"),
  url: WebAddress,
  /** What the body is signed with; without one it is not signed. */
  secret: Schema.optionalKey(SigningSecret)
})
const Sms = Schema.Struct({ type: Schema.Literal("sms"), phoneNumbers: listOf(PhoneNumber, mostPhoneNumbers) })

export const MessageDestination = Schema.Union([Email, Slack, Webhook, Sms])
export type MessageDestination = typeof MessageDestination.Type

const mostDestinations = 10

/** At most ten; kinds that need one say so. */
export const MessageDestinations = Schema.Array(MessageDestination).check(Schema.isMaxLength(mostDestinations))

/** One place that takes a message or does not: messages to two people arrive, or fail, apart from each other. */
export const Endpoint = Schema.Union([
  Schema.Struct({ channel: Schema.Literal("email"), to: Schema.String }),
  Schema.Struct({ channel: Schema.Literal("slack"), to: Schema.String }),
  Schema.Struct({ channel: Schema.Literal("webhook"), to: Schema.String, secret: Schema.optionalKey(Schema.String) }),
  Schema.Struct({ channel: Schema.Literal("sms"), to: Schema.String })
])
export type Endpoint = typeof Endpoint.Type

const partsOf = (destination: MessageDestination): ReadonlyArray<Endpoint> => {
  switch (destination.type) {
    case "email":
      return destination.recipients.map((to) => ({ channel: "email", to }))
    case "slack":
      return [{ channel: "slack", to: destination.webhookUrl }]
    case "webhook":
      return [
        {
          channel: "webhook",
          to: destination.url,
          ...(destination.secret === undefined ? {} : { secret: destination.secret })
        }
      ]
    case "sms":
      return destination.phoneNumbers.map((to) => ({ channel: "sms", to }))
  }
}

/** Two endpoints with the same name are one, whatever they are signed with. */
export const endpointName = ({ channel, to }: Endpoint): string =>
  `${channel} ${channel === "email" ? to.toLowerCase() : to}`

/** Each once, in the order in which they are first named. */
export const endpointsOf = (destinations: ReadonlyArray<MessageDestination>): ReadonlyArray<Endpoint> => {
  const all = new Map<string, Endpoint>()
  for (const endpoint of destinations.flatMap(partsOf)) {
    const name = endpointName(endpoint)
    if (!all.has(name)) all.set(name, endpoint)
  }
  return [...all.values()]
}

const setting = "If it is meant, the operator can name the host in MILLRACE_PRIVATE_HOSTS"

const reachFault = (text: string, hosts: NamedHosts): string | undefined => {
  const url = new URL(text)
  const port = url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port)
  // As the client for requests outside compares them: addresses without brackets, names without a dot at the end.
  if (hosts.has(url.hostname.replace(/\.$/, "").replace(/^\[(.*)\]$/, "$1"), port)) return undefined
  if (url.protocol === "http:") return `must be an address that begins with https://. ${setting}; then http:// will do`
  return isOpenHost(url.hostname)
    ? undefined
    : `must lead to a public address: this one stays inside of a network. ${setting}`
}

/** Addresses that messages may not be sent to, by their path. `hosts` may be private, and reached by `http:`. */
export const destinationFaults = (
  destinations: ReadonlyArray<MessageDestination>,
  hosts: NamedHosts
): ReadonlyArray<{ readonly field: string; readonly message: string }> =>
  destinations.flatMap((destination, at) => {
    if (destination.type !== "slack" && destination.type !== "webhook") return []
    const [field, url] =
      destination.type === "slack" ? ["webhookUrl", destination.webhookUrl] : ["url", destination.url]
    const message = reachFault(url, hosts)
    return message === undefined ? [] : [{ field: `destinations[${at}].${field}`, message }]
  })

/** What is suspicious about destinations, by their path below `destinations`. */
export const destinationLints = (
  destinations: ReadonlyArray<MessageDestination>
): ReadonlyArray<{ readonly field: string; readonly message: string }> =>
  destinations.flatMap((destination, at) =>
    destination.type === "webhook" && destination.secret === undefined
      ? [
          {
            field: `destinations[${at}].secret`,
            message: "is missing: what is sent is not signed, so its receiver cannot tell who sent it"
          }
        ]
      : []
  )
