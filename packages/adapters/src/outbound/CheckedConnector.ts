/** Connections to addresses that were checked: what a name resolves to is judged, and that very address is dialled. */
import { isIP } from "node:net"
import type { LookupAddress } from "node:dns"
import { lookup } from "node:dns/promises"
import type { OutboundFailure, OutboundPurpose } from "@millrace/core/outbound"
import type { buildConnector } from "undici"
import { plainHost, type PrivateHosts } from "./PrivateHosts.ts"
import { addressFault, refused } from "./Target.ts"

/** All addresses of a name, best first. */
export type Resolve = (host: string) => Promise<ReadonlyArray<LookupAddress>>

export type Dial = buildConnector.connector

export interface ConnectorOptions {
  readonly hosts: PrivateHosts
  readonly purpose?: OutboundPurpose | undefined
  readonly resolve?: Resolve
  readonly dial: Dial
}

/** What a connection was refused for, on its way through a library that knows errors alone. */
export class Refusal extends Error {
  readonly failure: OutboundFailure
  constructor(failure: OutboundFailure) {
    super(failure.message)
    this.failure = failure
  }
}

/** Addresses of one name that are tried one after the other. */
const mostAddresses = 4

const resolveAll: Resolve = (host) => lookup(host, { all: true, order: "verbatim" })

export const checkedConnector = (options: ConnectorOptions): Dial => {
  const { dial, hosts, resolve = resolveAll } = options

  const addressesOf = async (host: string, port: number): Promise<ReadonlyArray<string>> => {
    const found = isIP(host) === 0 ? await resolve(host) : [{ address: host }]
    const isNamed = hosts.has(host, port)
    // One that is refused condemns the name: who could choose among its addresses could choose that one.
    for (const { address } of found) {
      const fault = addressFault(address, isNamed, options.purpose)
      if (fault !== undefined) throw new Refusal(refused(host, fault))
    }
    return found.slice(0, mostAddresses).map(({ address }) => address)
  }

  return (asked, callback) => {
    const host = plainHost(asked.hostname)
    const port = Number(asked.port) || (asked.protocol === "https:" ? 443 : 80)
    const tryNext = ([address, ...rest]: ReadonlyArray<string>, before: Error): void => {
      if (address === undefined) return callback(before, null)
      // The name stays what the certificate is checked against.
      const servername = asked.protocol === "https:" && isIP(host) === 0 ? { servername: host } : {}
      dial({ ...asked, ...servername, hostname: address }, (error, socket) => {
        if (error === null) callback(null, socket)
        else tryNext(rest, error)
      })
    }
    addressesOf(host, port).then(
      (addresses) => tryNext(addresses, Object.assign(new Error("no address"), { code: "ENOTFOUND" })),
      (error: unknown) => callback(error instanceof Error ? error : new Error("no address"), null)
    )
  }
}
