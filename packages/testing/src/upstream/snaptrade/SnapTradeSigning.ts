/** Signatures as SnapTrade makes and checks them: written apart from those of the driver, after Python's rules. */
import { createHmac } from "node:crypto"

type Json = null | boolean | number | string | ReadonlyArray<Json> | { readonly [key: string]: Json }

/** `json.dumps(value, sort_keys=True, separators=(",", ":"))`. */
export const dumps = (value: Json): string => {
  if (typeof value === "string") {
    return JSON.stringify(value).replaceAll(
      /[\u007f-\uffff]/g,
      (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`
    )
  }
  if (value === null || typeof value !== "object") return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(dumps).join(",")}]`
  const members = value as { readonly [key: string]: Json }
  return `{${Object.keys(members)
    .toSorted()
    .map((key) => `${dumps(key)}:${dumps(members[key]!)}`)
    .join(",")}}`
}

export const snapTradeHmac = (consumerKey: string, text: string): string =>
  createHmac("sha256", consumerKey).update(text).digest("base64")

/** The signature that a request must have. */
export const snapTradeRequestSignature = (
  consumerKey: string,
  request: { readonly path: string; readonly query: string; readonly body: string }
): string => {
  const content = request.body === "" || request.body === "{}" ? null : (JSON.parse(request.body) as Json)
  return snapTradeHmac(consumerKey, dumps({ content, path: request.path, query: request.query }))
}
