/** The person at a page or behind a session, as upstreams may be told: never made up (decisions: PSD2). */
import * as Context from "effect/Context"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as Option from "effect/Option"
import type { PsuContext } from "@millrace/core/provider"

/**
 * Whether an address is that of a proxy of the operator, whose `X-Forwarded-For` is believed. Without any, the header says
 * nothing: anyone who asks can write it.
 */
export const TrustedProxies = Context.Reference<(address: string) => boolean>(
  "@millrace/http/request/Person/TrustedProxies",
  { defaultValue: () => () => false }
)

/** Addresses of this machine and of private networks are a proxy's or a trial's, and no person's. */
const inner =
  /^(?:127\.|10\.|192\.168\.|169\.254\.|172\.(?:1[6-9]|2\d|3[01])\.|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.|0\.|::1?$|f[cd]|fe[89ab])/i

const plain = (address: string): string => address.trim().replace(/^::ffff:/i, "")

/** Each proxy has written the address that asked it at the end; the last one that is no proxy's is who asked. */
const addressOf = ({ headers, remoteAddress }: HttpServerRequest, isProxy: typeof TrustedProxies.Service): string => {
  const last = plain(Option.getOrElse(remoteAddress, () => ""))
  const told = (headers["x-forwarded-for"] ?? "").split(",").map(plain)
  let address = last
  while (isProxy(address) && told.length > 0) address = told.pop()!
  return isProxy(address) ? "" : address
}

export const psuOf = (request: HttpServerRequest, isProxy: typeof TrustedProxies.Service): PsuContext | undefined => {
  const address = addressOf(request, isProxy)
  if (!/^[0-9a-f]*[.:][0-9a-f.:]+$/i.test(address) || inner.test(address)) return undefined
  const userAgent = request.headers["user-agent"]
  return { ipAddress: address, ...(userAgent === undefined ? {} : { userAgent: userAgent.slice(0, 300) }) }
}
