/** The installation's own key, made once and readable by the server alone. */
import { randomBytes } from "node:crypto"
import { mkdir, open, readFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"

export class KeyFileUnusable extends Schema.TaggedError<KeyFileUnusable>()("KeyFileUnusable", {
  message: Schema.String,
  cause: Schema.optionalKey(Schema.Defect())
}) {}

const keyBytes = 32

const readOrMake = async (path: string): Promise<string> => {
  const known = await readFile(path, "utf8").catch(() => "")
  if (known.trim() !== "") return known.trim()
  const key = randomBytes(keyBytes).toString("base64")
  await mkdir(dirname(path), { recursive: true, mode: 0o755 })
  const file = await open(path, "wx", 0o600)
  await file.writeFile(`${key}\n`)
  // Lost with the power, it would take every stored bank connection with it.
  await file.sync()
  await file.close()
  return key
}

/** 32 bytes in base64. */
export const keyOf = (folder: string): Effect.Effect<Redacted.Redacted, KeyFileUnusable> => {
  const path = join(folder, "secret.key")
  return Effect.tryPromise({
    try: () => readOrMake(path),
    catch: (cause) => new KeyFileUnusable({ message: `The key file ${path} cannot be read or made.`, cause })
  }).pipe(
    Effect.filterOrFail(
      (key) => Buffer.from(key, "base64").length === keyBytes,
      () =>
        new KeyFileUnusable({ message: `The key file ${path} is damaged: it must hold ${keyBytes} bytes in base64.` })
    ),
    Effect.map((key) => Redacted.make(key))
  )
}
