/**
 * Positions and checkpoints of drivers: text that says what it belongs to, so that one of another connection or another
 * read, or one that was damaged, is known before the upstream is asked.
 */
import { createHash } from "node:crypto"
import { limits } from "@millrace/core"

const form = /^v1:([pc]):([\w-]{16}):(.*)$/su

const markOf = (kind: "p" | "c", about: ReadonlyArray<string>, value: string): string =>
  createHash("sha256")
    .update(JSON.stringify([kind, about, value]))
    .digest("base64url")
    .slice(0, 16)

/** `p`: a position within one run; `c`: a checkpoint between runs. `about`: what it is good for. */
export const writeToken = (kind: "p" | "c", about: ReadonlyArray<string>, value: string): string =>
  `v1:${kind}:${markOf(kind, about, value)}:${value}`

/** What was written; `undefined` for everything else. */
export const readToken = (kind: "p" | "c", about: ReadonlyArray<string>, token: string): string | undefined => {
  const match = token.length <= limits.opaquePosition ? form.exec(token) : null
  const value = match?.[3]
  return value !== undefined && match?.[1] === kind && match[2] === markOf(kind, about, value) ? value : undefined
}
