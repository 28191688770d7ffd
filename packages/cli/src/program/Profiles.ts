/**
 * The profile file: servers with their API keys, `$XDG_CONFIG_HOME/millrace/config.json`. The file is for its
 * owner alone (0600 in a folder 0700) and is replaced whole, so an interrupted write leaves the old one.
 */
import { chmod, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises"
import { homedir } from "node:os"
import { dirname, isAbsolute, join } from "node:path"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { LocalFault, UsageFault } from "./Failure.ts"
import { program } from "./Program.ts"

const Profile = Schema.Struct({
  baseUrl: Schema.String,
  /** Absent after a logout. */
  apiKey: Schema.optionalKey(Schema.String)
})
export type Profile = typeof Profile.Type

const ProfileFile = Schema.Struct({
  current: Schema.optionalKey(Schema.String),
  profiles: Schema.Record(Schema.String, Profile)
})
export type ProfileFile = typeof ProfileFile.Type

export const defaultName = "default"

const nameForm = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/

export const checkName = (name: string): Effect.Effect<string, UsageFault> =>
  nameForm.test(name)
    ? Effect.succeed(name)
    : Effect.fail(
        new UsageFault({
          message:
            "A profile name has 1 to 64 letters, digits, dots, dashes and underscores, and begins with a letter or digit."
        })
      )

const path = (): string => {
  const home = process.env["XDG_CONFIG_HOME"]
  // The standard says that relative paths are to be ignored.
  const base = home !== undefined && isAbsolute(home) ? home : join(homedir(), ".config")
  return join(base, "millrace", "config.json")
}

export const profileOf = (file: ProfileFile, name: string): Profile | undefined =>
  Object.hasOwn(file.profiles, name) ? file.profiles[name] : undefined

const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(ProfileFile))

const codeOf = (cause: unknown): string =>
  typeof cause === "object" && cause !== null && "code" in cause ? String(cause.code) : "UNKNOWN"

const fault = (what: string) => (cause: unknown) =>
  new LocalFault({ message: `The profile file ${path()} cannot be ${what} (${codeOf(cause)}).` })

const readIfAny = (): Promise<string | undefined> =>
  readFile(path(), "utf8").catch((cause: unknown) => {
    if (codeOf(cause) === "ENOENT") return undefined
    throw cause
  })

/** Without a file: no profiles. */
export const read: Effect.Effect<ProfileFile, LocalFault> = Effect.gen(function* () {
  const text = yield* Effect.tryPromise({ try: readIfAny, catch: fault("read") })
  if (text === undefined) return { profiles: {} }
  return yield* Effect.mapError(
    decode(text),
    () =>
      new LocalFault({ message: `The profile file ${path()} is damaged. Correct it, or remove it and log in again.` })
  )
})

const replace = async (text: string): Promise<void> => {
  const target = path()
  const folder = dirname(target)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await chmod(folder, 0o700)
  const temporary = `${target}.${process.pid}`
  try {
    await writeFile(temporary, text, { mode: 0o600, flag: "wx" })
    await rename(temporary, target)
  } catch (cause) {
    await rm(temporary, { force: true })
    throw cause
  }
}

const write = (file: ProfileFile): Effect.Effect<void, LocalFault> =>
  Effect.tryPromise({ try: () => replace(`${JSON.stringify(file, null, 2)}\n`), catch: fault("written") })

/** Adds or replaces a profile and makes it the current one. */
export const put = Effect.fn("Profiles.put")(function* (name: string, profile: Profile) {
  const file = yield* read
  yield* write({ current: name, profiles: { ...file.profiles, [name]: profile } })
})

const missing = (name: string) =>
  new UsageFault({ message: `There is no profile "${name}". See: ${program} profiles list` })

/** Forgets the key of a profile; the server it belongs to stays known. Returns whether there was a key. */
export const forgetKey = Effect.fn("Profiles.forgetKey")(function* (name: string) {
  const file = yield* read
  const known = profileOf(file, name)
  if (known === undefined) return yield* missing(name)
  yield* write({ ...file, profiles: { ...file.profiles, [name]: { baseUrl: known.baseUrl } } })
  return known.apiKey !== undefined
})

export const use = Effect.fn("Profiles.use")(function* (name: string) {
  const file = yield* read
  if (profileOf(file, name) === undefined) return yield* missing(name)
  yield* write({ ...file, current: name })
})

export const remove = Effect.fn("Profiles.remove")(function* (name: string) {
  const { current, ...file } = yield* read
  if (profileOf(file, name) === undefined) return yield* missing(name)
  const profiles = Object.fromEntries(Object.entries(file.profiles).filter(([other]) => other !== name))
  yield* write({ ...(current === undefined || current === name ? {} : { current }), profiles })
})
