/** The reserve of free space, with an injected figure of what is free. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { expect, it } from "vitest"
import { roomOf } from "../src/DiskRoom.ts"

const mebibyte = 1_048_576

it("a file is refused that would use the reserve, and taken as soon as space is freed (injected free space)", async () => {
  let free: number | undefined = 300 * mebibyte
  const { need } = roomOf(
    Effect.sync(() => free),
    256 * mebibyte
  )
  const ask = (bytes: number) => Effect.runPromiseExit(need(bytes))
  expect(Exit.isSuccess(await ask(mebibyte))).toBe(true)
  const refused = await Effect.runPromise(Effect.flip(need(25 * mebibyte)))
  expect(refused).toMatchObject({ _tag: "StorageUnavailable", full: true })
  expect(refused.message).toContain("are kept free")
  free = 100 * mebibyte
  expect(Exit.isSuccess(await ask(1))).toBe(false)
  free = 1_000 * mebibyte
  expect(Exit.isSuccess(await ask(25 * mebibyte))).toBe(true)
  free = undefined
  expect(Exit.isSuccess(await ask(25 * mebibyte))).toBe(true)
})

it("syncs may use the reserve down to its last quarter, and wait there", async () => {
  let free: number | undefined = 65 * mebibyte
  const { forSyncs, need } = roomOf(
    Effect.sync(() => free),
    256 * mebibyte
  )
  const ask = () => Effect.runPromiseExit(forSyncs)
  expect(Exit.isSuccess(await Effect.runPromiseExit(need(1)))).toBe(false)
  expect(Exit.isSuccess(await ask())).toBe(true)
  free = 63 * mebibyte
  expect(await Effect.runPromise(Effect.flip(forSyncs))).toMatchObject({ _tag: "StorageUnavailable", full: true })
  free = 64 * mebibyte
  expect(Exit.isSuccess(await ask())).toBe(true)
  free = undefined
  expect(Exit.isSuccess(await ask())).toBe(true)
})
