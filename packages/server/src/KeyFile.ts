/** The installation's own key, made once and readable by the server alone; former ones may stand below it. */
import { randomBytes } from "node:crypto"
import { link, mkdir, open, readFile, rm } from "node:fs/promises"
import { dirname, join } from "node:path"
import type { SecretKeys } from "@millrace/adapters/secrets"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"

export class KeyFileUnusable extends Schema.TaggedError<KeyFileUnusable>()("KeyFileUnusable", {
  message: Schema.String,
  cause: Schema.optionalKey(Schema.Defect())
}) {}

export const keyBytes = 32

/** Whether the text is a key: 32 bytes in base64. */
export const isKey = (text: string): boolean => Buffer.from(text, "base64").length === keyBytes

const readKey = (path: string): Promise<string | undefined> =>
  readFile(path, "utf8").then(
    (text) => text.trim(),
    (cause: NodeJS.ErrnoException) => {
      if (cause.code === "ENOENT") return undefined
      throw cause
    }
  )

const readOrMake = async (path: string): Promise<string> => {
  const known = await readKey(path)
  if (known !== undefined) return known
  const key = randomBytes(keyBytes).toString("base64")
  await mkdir(dirname(path), { recursive: true, mode: 0o755 })
  const draft = `${path}.${process.pid}`
  const file = await open(draft, "w", 0o600)
  await file.writeFile(`${key}\n`)
  // Lost with the power, it would take every stored bank connection with it.
  await file.sync()
  await file.close()
  try {
    // A link is made by one process only, and what it names is complete, whenever that process dies.
    await link(draft, path)
    return key
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "EEXIST") throw cause
    return (await readKey(path)) ?? ""
  } finally {
    await rm(draft, { force: true })
  }
}

const linesOf = (text: string): ReadonlyArray<string> =>
  text.split("\n").flatMap((line) => (line.trim() === "" ? [] : [line.trim()]))

/** The keys of the file: the first line is the current one, those below were before it. */
export const keysOf = (folder: string): Effect.Effect<SecretKeys, KeyFileUnusable> => {
  const path = join(folder, "secret.key")
  return Effect.tryPromise({
    try: () => readOrMake(path),
    catch: (cause) =>
      new KeyFileUnusable({
        message: `The key file ${path} cannot be read or made. Set MILLRACE_DATA to a folder the server may write to.`,
        cause
      })
  }).pipe(
    Effect.map(linesOf),
    Effect.filterOrFail(
      (lines) => lines.length > 0 && lines.every(isKey),
      () =>
        new KeyFileUnusable({
          message: `The key file ${path} is damaged: each line must hold ${keyBytes} bytes in base64.`
        })
    ),
    Effect.map(([current, ...previous]) => ({
      current: Redacted.make(current!),
      previous: previous.map((key) => Redacted.make(key))
    }))
  )
}
