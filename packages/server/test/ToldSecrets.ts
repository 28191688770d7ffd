/** Secrets that were told: looked for in whatever was logged, answered and stored. */
import type { FakeUpstream } from "@millrace/testing/upstream"

/** Headers and parameters in which upstreams are shown what opens them. */
const openingHeaders = ["authorization", "plaid-secret", "secret"]
const openingParameters = ["userSecret", "access_token"]

/** Shorter texts stand in other words by chance. */
const shortest = 6

const ofBasic = (credential: string): ReadonlyArray<string> => Buffer.from(credential, "base64").toString().split(":")

/** Whatever opens something at an upstream: its settings, what it gave for connections, and all that it was shown since. */
export const secretsOf = ({ connections, secrets, server }: FakeUpstream): ReadonlySet<string> => {
  const shown = server.requests.flatMap(({ headers, query }) => [
    ...openingHeaders.flatMap((name) => {
      const [scheme = "", credential] = (headers[name] ?? "").split(" ")
      return credential === undefined
        ? [scheme]
        : [credential, ...(scheme.toLowerCase() === "basic" ? ofBasic(credential) : [])]
    }),
    ...openingParameters.map((name) => query.get(name) ?? "")
  ])
  const all = [...secrets, ...connections.flatMap((one) => one.secrets), ...shown]
  return new Set(all.filter(({ length }) => length >= shortest))
}

/** A secret as texts hold it: as it is, in JSON, in addresses, in bytes that are shown in hexadecimal, and encoded. */
const writtenOf = (secret: string): ReadonlyArray<string> => {
  const bytes = Buffer.from(secret)
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
    bytes.toString("hex"),
    // Its end depends on what stands behind it.
    bytes.toString("base64").replace(/.?=*$/u, "")
  ]
}

/** Where a secret stands, with the text around it; the secret itself is not repeated. */
export const toldIn = (
  texts: Iterable<readonly [where: string, text: string]>,
  secrets: Iterable<string>
): ReadonlyArray<string> => {
  const sought = [...secrets].flatMap((secret) => [...new Set(writtenOf(secret))])
  const found = new Set<string>()
  for (const [where, text] of texts) {
    for (const one of sought) {
      const at = text.indexOf(one)
      if (at < 0) continue
      found.add(`${where}: ${text.slice(Math.max(0, at - 60), at)}<the secret ${one.slice(0, 4)}…>`)
    }
  }
  return [...found]
}
