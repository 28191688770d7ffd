/** Hosts that the operator lets requests reach although they are private, such as an upstream on the own network. */
import type { NamedHosts } from "@millrace/core/message"
import type { OutboundPurpose } from "@millrace/core/outbound"
import * as Result from "effect/Result"

export type PrivateHosts = NamedHosts

/** Hosts that the operator names for each purpose; a purpose without an entry reaches none. */
export type PrivateHostsByPurpose = Readonly<Record<OutboundPurpose, PrivateHosts>>

/** A host as URLs have it: small letters, addresses in their one form, no dot at the end. */
export const plainHost = (hostname: string): string => hostname.replace(/\.$/u, "").replace(/^\[(.*)\]$/u, "$1")

const form = /^(\[[0-9a-fA-F:.]+\]|[^\s:/@?#[\]]+)(?::(\d{1,5}))?$/u

/**
 * `bank.internal`, `10.0.0.7:8443`, `[fd00::7]`: with a port that port alone. Each entry names one host; there are no
 * patterns, and addresses at which clouds keep credentials stay refused. A failure says which entry is wrong.
 */
export const privateHosts = (entries: ReadonlyArray<string>): Result.Result<PrivateHosts, string> => {
  const named = new Set<string>()
  for (const entry of entries) {
    const [, host = "", port] = form.exec(entry.trim()) ?? []
    const parsed = URL.parse(`http://${host}`)
    if (parsed === null || host.includes("*") || Number(port ?? 1) < 1 || Number(port ?? 1) > 65_535)
      return Result.fail(`"${entry}" is not the name or address of a host, such as bank.internal or 10.0.0.7:8443`)
    const name = plainHost(parsed.hostname)
    named.add(port === undefined ? name : `${name} ${Number(port)}`)
  }
  return Result.succeed({ has: (hostname, port) => named.has(hostname) || named.has(`${hostname} ${port}`) })
}

export const noPrivateHosts: PrivateHosts = { has: () => false }

/** Where the operator names private hosts for a purpose. */
export const settingOf = (purpose: OutboundPurpose | undefined): string =>
  purpose === undefined || purpose.includes(":")
    ? `in privateHosts of ${purpose ?? "the provider"} in the configuration file`
    : purpose === "models"
      ? "in privateHosts.models of the configuration file"
      : `in privateHosts.${purpose} of the configuration file, or in MILLRACE_PRIVATE_HOSTS`
