/** All adapters of the kernel but storage, as one layer. */
export * as Adapters from "../Adapters.ts"
export type { BusinessDays } from "../Adapters.ts"
export * as NodeDigest from "../digest/NodeDigest.ts"
export * as OutboundClient from "../outbound/OutboundClient.ts"
export { readRateFile } from "../rates/RateFile.ts"
export { privateHosts, type PrivateHosts } from "../outbound/PrivateHosts.ts"
