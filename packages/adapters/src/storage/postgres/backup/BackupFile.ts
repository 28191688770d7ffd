/**
 * A backup as a file: lines of JSON, compressed. The first line says what it is, then each table comes with its rows, one
 * a line, each as PostgreSQL writes a row; the last line counts them, and holds a digest of all lines before it. A file
 * that ends early or was damaged anywhere is noticed. The digest is no seal: who can change the file can change it too.
 */
import { createHash, type Hash } from "node:crypto"
import { createReadStream, createWriteStream } from "node:fs"
import { link, rm, stat } from "node:fs/promises"
import { createInterface } from "node:readline"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { createGunzip, createGzip } from "node:zlib"
import * as Schema from "effect/Schema"

/** The message says what is wrong with the file or its folder. */
export class BackupUnusable extends Schema.TaggedError<BackupUnusable>()("BackupUnusable", {
  message: Schema.String,
  cause: Schema.optionalKey(Schema.Defect())
}) {}

export const Header = Schema.Struct({
  millrace: Schema.Literal("backup"),
  format: Schema.Literal(1),
  at: Schema.String,
  /** Names of the migrations that the tables had seen, the first one first. */
  schema: Schema.Array(Schema.String)
})
export type Header = typeof Header.Type

const Line = Schema.Union([
  Schema.String,
  Header,
  Schema.Struct({ table: Schema.String, columns: Schema.Array(Schema.String) }),
  Schema.Struct({ sequence: Schema.String, last: Schema.String, called: Schema.Boolean }),
  Schema.Struct({ rows: Schema.Record(Schema.String, Schema.Int), digest: Schema.String })
])
export type Line = typeof Line.Type

const decode = Schema.decodeUnknownSync(Schema.fromJsonString(Line))

const digestOf = (hash: Hash): string => hash.copy().digest("hex")

/** Adds the lines, and the last one, whose counts are reported when all others are through. */
async function* sealed(lines: AsyncIterable<Line>, rows: () => Readonly<Record<string, number>>) {
  const hash = createHash("sha256")
  for await (const line of lines) {
    const text = `${JSON.stringify(line)}\n`
    hash.update(text)
    yield text
  }
  yield `${JSON.stringify({ rows: rows(), digest: digestOf(hash) })}\n`
}

const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

/** Writes a file that is there whole or not at all, for our eyes only. One that exists already stays. */
export const writeBackup = async (
  path: string,
  lines: AsyncIterable<Line>,
  rows: () => Readonly<Record<string, number>>
): Promise<number> => {
  const draft = `${path}.${process.pid}.part`
  try {
    // Lost with the power, it would be no backup.
    const file = createWriteStream(draft, { flags: "wx", mode: 0o600, flush: true })
    await pipeline(Readable.from(sealed(lines, rows)), createGzip(), file)
    const { size } = await stat(draft)
    await link(draft, path)
    return size
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "EEXIST") {
      throw new BackupUnusable({ message: `${path} exists already. Name another file.`, cause })
    }
    throw cause
  } finally {
    await rm(draft, { force: true })
  }
}

/** What is wrong with the compression: the words of zlib say nothing to a person. */
const whyOf = (cause: unknown): string => {
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined
  if (code === "Z_BUF_ERROR") return "it is damaged: it ends early"
  return code === "Z_DATA_ERROR" ? "it is damaged, or was never one" : messageOf(cause)
}

const broken = (path: string, why: string, cause?: unknown) =>
  new BackupUnusable({ message: `${path} is no whole backup: ${why}. Nothing was restored.`, cause })

/** The lines but for the last one, which has been checked when they end. Fails with `BackupUnusable`. */
export async function* readBackup(path: string): AsyncGenerator<Line> {
  const hash = createHash("sha256")
  const counts: Record<string, number> = {}
  let table = ""
  let last: Extract<Line, { readonly digest: string }> | undefined
  let number = 0
  const unzipped = createGunzip()
  const reading = pipeline(createReadStream(path), unzipped)
  // The reader of the lines tells it.
  reading.catch(() => undefined)
  try {
    for await (const text of createInterface({ input: unzipped, crlfDelay: 0 })) {
      number++
      if (last !== undefined) throw broken(path, `it is damaged: line ${number} follows its end`)
      let line: Line
      try {
        line = decode(text)
      } catch (cause) {
        throw broken(path, `it is damaged: line ${number} cannot be read`, cause)
      }
      if (number === 1 && !(typeof line === "object" && "millrace" in line))
        throw broken(path, "it does not begin as one")
      if (typeof line === "object" && "digest" in line) {
        last = line
        if (line.digest !== digestOf(hash)) throw broken(path, "it is damaged")
        continue
      }
      hash.update(`${text}\n`)
      if (typeof line === "string") counts[table] = (counts[table] ?? 0) + 1
      else if ("table" in line) counts[(table = line.table)] = 0
      yield line
    }
    await reading
  } catch (cause) {
    throw cause instanceof BackupUnusable ? cause : broken(path, whyOf(cause), cause)
  } finally {
    unzipped.destroy()
  }
  if (last === undefined) throw broken(path, "it is damaged: its end is missing")
  for (const [name, n] of Object.entries(last.rows)) {
    if (counts[name] !== n)
      throw broken(path, `it is damaged: the table ${name} has ${counts[name] ?? 0} rows and not ${n}`)
  }
}

/** Reads it to its end, unless it is a pipe, which can be read once. Fails with `BackupUnusable`. */
export const checkBackup = async (path: string): Promise<void> => {
  const isPipe = await stat(path).then(
    (found) => !found.isFile(),
    // Anyone who reads it says what is wrong with it.
    () => false
  )
  if (isPipe) return
  const lines = readBackup(path)
  let line = await lines.next()
  while (line.done !== true) line = await lines.next()
}
