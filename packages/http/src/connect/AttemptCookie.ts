/** The cookie by which a browser is known that comes back from an upstream without its state. */
const form = /(?:^|;\s*)millrace_connect=([A-Za-z0-9_-]{20,100})(?:;|$)/

/** Seconds for which the browser is known. */
const seconds = 14_400

/** `isHttps`: browsers reach us by https, and send it by nothing else. */
export const attemptCookie = (state: string, isHttps: boolean): string =>
  `millrace_connect=${state}; Path=/connect/callback; HttpOnly; SameSite=Lax; Max-Age=${seconds}${isHttps ? "; Secure" : ""}`

/** The state in the header of a request. */
export const attemptInCookie = (header: string | undefined): string | undefined => form.exec(header ?? "")?.[1]
