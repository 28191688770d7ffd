/** How answers are written down: stable, readable, and without what every answer has. */
import { join } from "node:path"
import { expect } from "vitest"
import type { Answer } from "./World.ts"

/** Headers that answers have unless a record of one says otherwise. */
const usual: Readonly<Record<string, string>> = {
  "cache-control": "no-store",
  "content-type": "application/json",
  "strict-transport-security": "max-age=31536000",
  "x-content-type-options": "nosniff",
  "x-ratelimit-limit": "1000",
  "x-ratelimit-policy": "1000;w=60"
}

/** What tells one request from all others. */
const requestId = "x-request-id"

export const headersOf = ({ headers }: Answer): Readonly<Record<string, string | null>> => {
  const own = new Map<string, string | null>(headers)
  own.delete(requestId)
  own.delete("content-length")
  for (const [name, value] of Object.entries(usual)) {
    if (own.get(name) === value) own.delete(name)
    else if (!own.has(name)) own.set(name, null)
  }
  return Object.fromEntries([...own].toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

/** The text with the id of its own request as `<request>`. */
const textOf = ({ headers, text }: Answer): string => {
  const id = headers.find(([name]) => name === requestId)?.[1]
  return id === undefined ? text : text.replaceAll(id, "<request>")
}

const isJson = ({ headers }: Answer): boolean =>
  headers.some(([name, value]) => name === "content-type" && value.startsWith("application/json"))

/** A number whose text is not the one that JavaScript writes, such as one with more digits, stays text. */
const exactly = (_: string, value: unknown, { source }: { readonly source?: string } = {}): unknown =>
  typeof value === "number" && source !== undefined && String(value) !== source ? `number ${source}` : value

const inOrder = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map((one) => inOrder(one))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, one]) => [name, inOrder(one)] as const)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
  )
}

/** The body where it is JSON, with its names in order; else its text. */
export const bodyOf = (answer: Answer): unknown => {
  const text = textOf(answer)
  return isJson(answer) && text !== "" ? inOrder(JSON.parse(text, exactly)) : text
}

const longestShort = 400

/** Status, special headers and body in one line. Of a success the body is left out. */
export const lineOf = (answer: Answer): string => {
  const headers = Object.entries(headersOf(answer)).map(([name, value]) => `${name}: ${value ?? "none"}`)
  const body = answer.status < 300 ? "" : textOf(answer).slice(0, 4 * longestShort)
  return [String(answer.status), ...headers.map((header) => `[${header}]`), body]
    .filter((part) => part !== "")
    .join(" ")
}

/** Compares with the file of that name beside the tests; `vitest -u` writes it. */
export const expectGolden = async (name: string, value: unknown): Promise<void> => {
  const text = typeof value === "string" ? value : `${JSON.stringify(value, undefined, 1)}\n`
  await expect(text).toMatchFileSnapshot(join(import.meta.dirname, "golden", name))
}
