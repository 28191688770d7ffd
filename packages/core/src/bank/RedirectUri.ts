/** Where callers want a person's browser to end. */
import { limits } from "../shared/Limits.ts"

const loopback = new Set(["localhost", "127.0.0.1", "[::1]"])

/**
 * What is wrong with an address for the browser to end at; `undefined` where nothing is. Addresses of the web are
 * `https:`, or `http:` on this machine; applications have a scheme of their own, with a dot in it.
 */
export const redirectFault = (text: string): string | undefined => {
  const form = "must be an https address, an http address of this machine, or one of an application's own scheme"
  if (text.length > limits.redirectUriLength) return `must have at most ${limits.redirectUriLength} characters`
  if (!URL.canParse(text)) return form
  const { hostname, password, protocol, username } = new URL(text)
  if (username !== "" || password !== "") return "must not hold a user name or password"
  if (protocol === "https:") return undefined
  if (protocol === "http:") return loopback.has(hostname) ? undefined : form
  return /^[a-z][a-z0-9+-]*\.[a-z0-9.+-]+:$/.test(protocol) ? undefined : form
}

/** The address with what the person's way ended with. */
export const redirectTo = (uri: string, parameters: Readonly<Record<string, string | undefined>>): string => {
  const url = new URL(uri)
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) url.searchParams.set(name, value)
  }
  return url.href
}
