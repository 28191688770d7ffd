/** Setup tokens and access URLs of SimpleFIN: what a person pastes, and what it is exchanged for. */
import { createHash } from "node:crypto"
import type { Connection, SecretValues } from "@millrace/core/provider"
import * as Redacted from "effect/Redacted"

const longestUrl = 2_000

/** A URL that may be asked; whether its host may be is for the outbound client to say, which refuses private ones. */
const webUrl = (text: string): URL | undefined => {
  const url = text.length <= longestUrl && !/\s/u.test(text) ? URL.parse(text) : null
  return url !== null && (url.protocol === "https:" || url.protocol === "http:") && url.hostname !== ""
    ? url
    : undefined
}

/** The address at which a setup token is claimed; `undefined` for what is no setup token. */
export const claimUrlOf = (setupToken: string): string | undefined => {
  // People paste with line ends and spaces.
  const token = setupToken.replaceAll(/\s/gu, "")
  if (!/^[\w+/-]{8,4000}={0,2}$/.test(token)) return undefined
  const url = webUrl(Buffer.from(token, "base64").toString("utf8"))
  return url === undefined || url.username !== "" || url.password !== "" || url.hash !== "" ? undefined : url.href
}

/** What a connection keeps: the address without credentials, and these apart, because no client asks a URL that has them. */
export interface Access extends SecretValues {
  readonly url: string
  readonly username: string
  readonly password: string
}

/** An access URL taken apart; `undefined` where it is none, or is less safe than the address that gave it. */
export const accessOf = (text: string, claimUrl: string): Access | undefined => {
  const url = webUrl(text.trim())
  if (url === undefined || url.username === "" || url.password === "") return undefined
  if (url.protocol === "http:" && !claimUrl.startsWith("http:")) return undefined
  const [username, password] = [url.username, url.password].map((part) => {
    try {
      return decodeURIComponent(part)
    } catch {
      return part
    }
  })
  return { url: `${url.origin}${url.pathname.replace(/\/+$/, "")}`, username: username!, password: password! }
}

/** What says of which setup token an access was claimed, and tells nothing of it. */
export const claimOf = (setupToken: string): string =>
  createHash("sha256").update(setupToken.replaceAll(/\s/gu, "")).digest("hex")

/** A name of the access that tells nothing of its secrets. */
export const refOf = ({ url, username }: Access): string =>
  `sfin_${createHash("sha256")
    .update(JSON.stringify([url, username]))
    .digest("hex")
    .slice(0, 32)}`

/** The access of a connection; `undefined` for one that is not of this provider. */
export const accessIn = ({ secrets }: Connection): Access | undefined => {
  const { password, url, username } = secrets
  return url === undefined || username === undefined || password === undefined ? undefined : { url, username, password }
}

export const basicAuth = ({ password, username }: Access) =>
  Redacted.make(`Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`)
