/** How far an IP address reaches, by the registries of special purpose addresses (RFC 6890 and its updates). */
import { BlockList, isIPv4, isIPv6 } from "node:net"

/**
 * `public`: anybody may be asked there. `private`: a machine of the operator's own network, or this one; only by a name
 * that the operator allows. `never`: what no service of anybody lives at, and where clouds keep credentials.
 */
export type AddressReach = "public" | "private" | "never"

type Networks = ReadonlyArray<readonly [address: string, bits: number]>

const listOf = (family: "ipv4" | "ipv6", networks: Networks): ((address: string) => boolean) => {
  const list = new BlockList()
  for (const [address, bits] of networks) list.addSubnet(address, bits, family)
  return (address) => list.check(address, family)
}

const isNever4 = listOf("ipv4", [
  ["0.0.0.0", 8], // this network; the system takes it for the loopback
  ["100.100.100.200", 32], // metadata of a cloud, inside a shared network
  ["168.63.129.16", 32], // platform of a cloud, at a public address
  ["169.254.0.0", 16], // link-local, with the metadata of most clouds
  ["192.0.0.0", 24], // protocol assignments, metadata of a cloud
  ["192.0.2.0", 24], // documentation
  ["192.88.99.0", 24], // former 6to4 relays
  ["198.51.100.0", 24], // documentation
  ["203.0.113.0", 24], // documentation
  ["224.0.0.0", 4], // multicast
  ["240.0.0.0", 4] // reserved, and broadcast
])

const isPrivate4 = listOf("ipv4", [
  ["10.0.0.0", 8],
  ["100.64.0.0", 10], // shared by customers of one carrier
  ["127.0.0.0", 8], // loopback
  ["172.16.0.0", 12],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15] // benchmarks inside of one network
])

const isNever6 = listOf("ipv6", [
  ["fd00:ec2::", 32], // metadata of a cloud, inside unique local addresses
  ["fd20:ce::", 32], // metadata of a cloud
  ["2001::", 23], // protocol assignments, with Teredo
  ["2001:db8::", 32], // documentation
  ["2002::", 16], // 6to4, which hides an IPv4 address
  ["3fff::", 20] // documentation
])

const isPrivate6 = listOf("ipv6", [
  ["::1", 128], // loopback
  ["fc00::", 7] // unique local addresses
])

/** What the registries give out to services; whatever else there is in IPv6 is none. */
const isGlobal6 = listOf("ipv6", [["2000::", 3]])

const isMapped = listOf("ipv6", [["::ffff:0:0", 96]])
const isTranslated = listOf("ipv6", [["64:ff9b::", 96]])

/** The IPv4 address in the last four bytes of an IPv6 address. */
const embedded = (address: string): string => {
  // The URL parser writes every form of an address in one way, the last bytes as hexadecimal groups.
  const groups = new URL(`http://[${address}]`).hostname.slice(1, -1).split(":")
  const [high, low] = [groups.at(-2) || "0", groups.at(-1) || "0"].map((group) => Number.parseInt(group, 16))
  return [high! >> 8, high! & 255, low! >> 8, low! & 255].join(".")
}

const reachOf4 = (address: string): AddressReach =>
  isNever4(address) ? "never" : isPrivate4(address) ? "private" : "public"

/** `never` also for what is no address at all. */
export const reachOf = (text: string): AddressReach => {
  // The zone says through which interface, not where to.
  const address = text.replace(/%.*$/su, "")
  if (isIPv4(address)) return reachOf4(address)
  if (!isIPv6(address)) return "never"
  if (isMapped(address)) return reachOf4(embedded(address))
  // Networks without IPv4 reach public addresses like this; a private one behind it is nobody's wish.
  if (isTranslated(address)) return reachOf4(embedded(address)) === "public" ? "public" : "never"
  if (isNever6(address)) return "never"
  return isPrivate6(address) ? "private" : isGlobal6(address) ? "public" : "never"
}
