/** Where a request may go, as far as its URL tells. */
import { isIP } from "node:net"
import { OutboundFailure, type OutboundPurpose } from "@millrace/core/outbound"
import * as Result from "effect/Result"
import { reachOf } from "./AddressReach.ts"
import { plainHost, type PrivateHosts, settingOf } from "./PrivateHosts.ts"

export const refused = (host: string, why: string): OutboundFailure =>
  new OutboundFailure({ reason: "addressRefused", message: `${host} may not be asked: ${why}`, sent: false })

const invalid = (message: string): OutboundFailure =>
  new OutboundFailure({ reason: "invalidRequest", message, sent: false })

/** Why an address is refused; `undefined` where it is not. */
export const addressFault = (
  address: string,
  isNamed: boolean,
  purpose: OutboundPurpose | undefined
): string | undefined => {
  switch (reachOf(address)) {
    case "public":
      return undefined
    case "private":
      return isNamed
        ? undefined
        : `it is a private address. If it is meant, the operator can name the host ${settingOf(purpose)}`
    case "never":
      return "it leads to an address that is reserved"
  }
}

const portOf = ({ port, protocol }: URL): number => (port === "" ? (protocol === "https:" ? 443 : 80) : Number(port))

/** The URL, if its scheme, host and port may be asked. Names are resolved, and judged again, when the connection is made. */
export const targetOf = (
  text: string,
  hosts: PrivateHosts,
  purpose: OutboundPurpose | undefined,
  base?: URL
): Result.Result<URL, OutboundFailure> => {
  const url = URL.parse(text, base?.href)
  if (url === null) return Result.fail(invalid("The URL of the request is not valid"))
  const host = plainHost(url.hostname)
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    return Result.fail(invalid(`The URL of a request must begin with https:, and not with ${url.protocol}`))
  }
  if (url.username !== "" || url.password !== "") {
    return Result.fail(invalid(`The URL of a request to ${host} has a user or password: they belong into a header`))
  }
  const port = portOf(url)
  const isNamed = hosts.has(host, port)
  if (url.protocol === "http:" && !isNamed)
    return Result.fail(refused(host, `https: is needed, or the host named ${settingOf(purpose)}`))
  if (port < 1024 && port !== 443 && !isNamed) {
    return Result.fail(refused(host, `port ${port} belongs to another kind of service`))
  }
  const fault = isIP(host) === 0 ? undefined : addressFault(host, isNamed, purpose)
  return fault === undefined ? Result.succeed(url) : Result.fail(refused(host, fault))
}
