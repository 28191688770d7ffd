import { InvalidSecretsKey, layer } from "../../src/secrets/AesSecrets.ts"
import { Secrets, SecretsUnreadable } from "@millrace/core/bank"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"

const key = (fill: number) => Redacted.make(Buffer.alloc(32, fill).toString("base64"))
const plain = { accessToken: 'access-"quoted"-é-😀', refreshToken: "" }

const withKey =
  (options: Parameters<typeof layer>[0]) =>
  <A, E>(effect: Effect.Effect<A, E, Secrets>) =>
    Effect.provide(effect, layer(options))

const seal = (context: string) => Effect.flatMap(Secrets, (secrets) => secrets.seal(plain, context))
const open = (sealed: string, context: string) => Effect.flatMap(Secrets, (secrets) => secrets.open(sealed, context))

it.effect("opens what it sealed, and never seals alike twice", () =>
  Effect.gen(function* () {
    const first = yield* seal("ws_1|bank_1")
    const second = yield* seal("ws_1|bank_1")
    expect(first).not.toBe(second)
    expect(first).not.toContain("access")
    expect(first).toMatch(/^v1\.[\w-]{8}\.[\w-]{16}\.[\w-]+$/)
    expect(yield* open(first, "ws_1|bank_1")).toEqual(plain)
    expect(yield* open(second, "ws_1|bank_1")).toEqual(plain)
  }).pipe(withKey({ key: key(1) }))
)

it.effect("does not open as another bank's", () =>
  Effect.gen(function* () {
    const sealed = yield* seal("ws_1|bank_1")
    expect(yield* Effect.flip(open(sealed, "ws_1|bank_2"))).toEqual(new SecretsUnreadable({ reason: "forged" }))
  }).pipe(withKey({ key: key(1) }))
)

it.effect("notices every single byte that was changed", () =>
  Effect.gen(function* () {
    const parts = (yield* seal("c")).split(".")
    for (const part of [2, 3]) {
      const bytes = Buffer.from(parts[part]!, "base64url")
      for (let i = 0; i < bytes.length; i++) {
        const forged = Buffer.from(bytes)
        forged[i]! ^= 1
        const text = parts.with(part, forged.toString("base64url")).join(".")
        expect(yield* Effect.flip(open(text, "c"))).toEqual(new SecretsUnreadable({ reason: "forged" }))
      }
    }
  }).pipe(withKey({ key: key(1) }))
)

it.effect("refuses text that it never made", () =>
  Effect.gen(function* () {
    const sealed = yield* seal("c")
    const cut = sealed.split(".").with(3, "AAAA").join(".")
    for (const text of ["", "v1", "plain", sealed.replace("v1.", "v2."), `${sealed}.x`, cut]) {
      expect(yield* Effect.flip(open(text, "c"))).toEqual(new SecretsUnreadable({ reason: "malformed" }))
    }
  }).pipe(withKey({ key: key(1) }))
)

it.effect("opens with a key that was replaced, and knows when it has no key", () =>
  Effect.gen(function* () {
    const old = yield* seal("c").pipe(withKey({ key: key(1) }))
    expect(yield* open(old, "c").pipe(withKey({ key: key(2), previous: [key(1)] }))).toEqual(plain)
    const failure = yield* Effect.flip(open(old, "c").pipe(withKey({ key: key(2) })))
    expect(failure).toEqual(new SecretsUnreadable({ reason: "unknown_key" }))
  })
)

it.effect("refuses a key that is not 32 bytes, without repeating it", () =>
  Effect.gen(function* () {
    const short = Redacted.make(Buffer.alloc(16, 3).toString("base64"))
    const failure = yield* Effect.flip(seal("c").pipe(withKey({ key: short })))
    expect(failure).toBeInstanceOf(InvalidSecretsKey)
    expect(failure.message).not.toContain(Redacted.value(short))
  })
)

const bytes = Uint8Array.from({ length: 300 }, (_, i) => i % 256)

it.effect("opens the bytes that it sealed, of any length, with the key that sealed them", () =>
  Effect.gen(function* () {
    const secrets = yield* Secrets
    for (const length of [0, 1, 300]) {
      const part = bytes.subarray(0, length)
      const sealed = yield* secrets.sealBytes(part, "file|1")
      expect(Buffer.compare(yield* secrets.openBytes(sealed, "file|1"), part)).toBe(0)
    }
    const sealed = yield* secrets.sealBytes(bytes, "c")
    const later = { key: key(2), previous: [key(1)] }
    const read = yield* Effect.flatMap(Secrets, (other) => other.openBytes(sealed, "c")).pipe(withKey(later))
    expect(Buffer.compare(read, bytes)).toBe(0)
    const stranger = Effect.flatMap(Secrets, (other) => other.openBytes(sealed, "c")).pipe(withKey({ key: key(3) }))
    expect(yield* Effect.flip(stranger)).toEqual(new SecretsUnreadable({ reason: "unknown_key" }))
  }).pipe(withKey({ key: key(1) }))
)

it.effect("notices every byte of sealed bytes that was changed or cut off, and another place", () =>
  Effect.gen(function* () {
    const secrets = yield* Secrets
    const sealed = yield* secrets.sealBytes(bytes.subarray(0, 20), "file|1/2")
    expect(Buffer.from(sealed).includes(Buffer.from(bytes.subarray(0, 20)))).toBe(false)
    for (let i = 0; i < sealed.length; i++) {
      const forged = Buffer.from(sealed)
      forged[i]! ^= 1
      expect((yield* Effect.flip(secrets.openBytes(forged, "file|1/2"))).reason).toBe(
        i === 0 ? "malformed" : i <= 8 ? "unknown_key" : "forged"
      )
      const cut = yield* Effect.flip(secrets.openBytes(sealed.subarray(0, i), "file|1/2"))
      expect(["malformed", "forged"]).toContain(cut.reason)
    }
    expect((yield* Effect.flip(secrets.openBytes(sealed, "file|2/2"))).reason).toBe("forged")
  }).pipe(withKey({ key: key(1) }))
)
