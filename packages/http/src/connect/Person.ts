/** The person at a page, as upstreams may be told: never made up (decisions: PSD2). */
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as Option from "effect/Option"
import type { PsuContext } from "@millrace/core/provider"

/** Addresses of this machine and of private networks are a proxy's or a trial's, and no person's. */
const inner =
  /^(?:127\.|10\.|192\.168\.|169\.254\.|172\.(?:1[6-9]|2\d|3[01])\.|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.|0\.|::1?$|f[cd]|fe[89ab])/i

export const psuOf = ({ headers, remoteAddress }: HttpServerRequest): PsuContext | undefined => {
  const address = Option.getOrElse(remoteAddress, () => "").replace(/^::ffff:/i, "")
  if (!/^[0-9a-f]*[.:][0-9a-f.:]+$/i.test(address) || inner.test(address)) return undefined
  const userAgent = headers["user-agent"]
  return { ipAddress: address, ...(userAgent === undefined ? {} : { userAgent: userAgent.slice(0, 300) }) }
}
