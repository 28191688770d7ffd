import { Buffer } from "node:buffer"
import { fileURLToPath, pathToFileURL } from "node:url"
import { Currency } from "@millrace/core"
import { StatementReader } from "@millrace/core/upload"
import { toRun } from "@millrace/verification/process/Programs"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Result from "effect/Result"
import { afterAll, describe, expect, it } from "vitest"
import * as StatementThreads from "../../src/statement/thread/StatementThreads.ts"
import { camt, details, entry } from "./camt.ts"
import { readStatement } from "../../src/statement/StatementReader.ts"

const options = (fileName: string) => ({ fileName, baseCurrency: Currency.make("EUR") })

// Each file that ends its thread begins another: from a bundle, which takes a fifth of what the sources take.
const [stubbornFile] = await toRun(fileURLToPath(new URL("stubbornThread.ts", import.meta.url)))
const stubborn = { entry: pathToFileURL(stubbornFile!) }

/** What comes of the files, one after the other. */
const outcomes = (files: ReadonlyArray<readonly [name: string, bytes: Uint8Array]>) =>
  Effect.gen(function* () {
    const reader = yield* StatementReader
    return yield* Effect.forEach(files, ([name, bytes]) => Effect.result(reader.read(bytes, options(name))))
  })

/** Threads as they are without options, from source; files that do them no harm share them. */
const ordinary = ManagedRuntime.make(StatementThreads.layer())
afterAll(() => ordinary.dispose())

const row = (at: number, fields = `<DTPOSTED>20240105<TRNAMT>-${at}`): string =>
  `<STMTTRN>${fields}<FITID>${at}<NAME>Bäcker ${at}</STMTTRN>\n`

const ofx = (rows: string): Uint8Array =>
  Buffer.from(
    `OFXHEADER:100\n\n<OFX><STMTTRNRS><STMTRS><CURDEF>USD<BANKACCTFROM><BANKID>1<ACCTID>2</BANKACCTFROM><BANKTRANLIST>\n${rows}` +
      "</BANKTRANLIST><LEDGERBAL><BALAMT>n/a</LEDGERBAL></STMTRS></STMTTRNRS></OFX>"
  )

const small = ofx(row(1))
const messageOf = (result: Result.Result<unknown, { readonly message: string }>): string =>
  Result.isFailure(result) ? result.failure.message : "read"

describe("files read in a thread", () => {
  const numbers = Array.from({ length: 4_321 }, (_, at) => at)

  it.each([
    ["OFX with rows that cannot be read", ofx(numbers.map((at) => row(at) + row(at, "<TRNAMT>1")).join(""))],
    [
      "OFX with all that a row may have",
      ofx(
        row(1, "<DTUSER>20240101<DTPOSTED>20240102<TRNAMT>1<PAYEE><NAME>P</PAYEE><CURRENCY><CURSYM>CHF</CURRENCY>") +
          row(2)
      )
    ],
    [
      "two accounts",
      Buffer.from(`${Buffer.from(small)}${Buffer.from(small).toString().replace("<ACCTID>2", "<ACCTID>3")}`)
    ],
    [
      "CSV",
      Buffer.from(`Date,Description,Amount,Category\n${numbers.map((at) => `2024-01-05,x${at},${at},food`).join("\n")}`)
    ],
    [
      "CAMT",
      Buffer.from(
        camt(
          numbers.map((at) => entry(`${at}.5`, "DBIT", details(`<RmtInf><Ustrd>x${at}</Ustrd></RmtInf>`))).join("\n") +
            entry("x", "DBIT")
        )
      )
    ],
    [
      "MT940",
      Buffer.from(`:20:X\n:25:1234567\n${numbers.map((at) => `:61:260203D${at},5NTRF//${at}\n:86:x`).join("\n")}`)
    ],
    ["QIF", Buffer.from(`!Type:Bank\n${numbers.map((at) => `D2026-02-03\nT-${at}.5\nPx${at}\nLfood\n^`).join("\n")}`)],
    ["a file without a statement", Buffer.from("OFXHEADER:100\n\n<OFX></OFX>")],
    ["a fault", ofx("<STMTTRN>")],
    ["nothing", Buffer.alloc(0)]
  ])("give the same as when they are read at once: %s", async (_, bytes) => {
    const [read] = await ordinary.runPromise(outcomes([["a", bytes]]))
    const direct = readStatement(bytes, options("a"))
    if (Result.isFailure(direct)) expect(Result.isFailure(read!) && { ...read.failure }).toEqual({ ...direct.failure })
    else expect(read).toEqual(direct)
  })

  it("leave the bytes to whoever gave them, also where they are a part of others", async () => {
    const all = Buffer.concat([Buffer.from("xx"), small])
    const [read] = await ordinary.runPromise(outcomes([["a", all.subarray(2)]]))
    expect(messageOf(read!)).toBe("read")
    expect(all.toString().slice(2)).toBe(Buffer.from(small).toString())
  })

  it.each([
    ["endless", /took longer than 1 seconds and was ended: split the file/],
    ["hungry", /more memory than it may have: split it/],
    ["deadly", /failed, which is a fault of ours/],
    ["throwing", /failed, which is a fault of ours/]
  ])(
    "are refused where they are %s, and the next ones are read",
    async (name, message) => {
      const how = { ...stubborn, threads: 1, megabytes: 64, seconds: name === "endless" ? 1 : 60 }
      const found = await outcomes([
        ["a", small],
        [name, small],
        ["b", small],
        [name, small],
        ["c", small]
      ]).pipe(Effect.provide(StatementThreads.layer(how)), Effect.runPromise)
      expect(found.map(messageOf)).toEqual([
        "read",
        expect.stringMatching(message),
        "read",
        expect.stringMatching(message),
        "read"
      ])
    },
    300_000
  )

  it("leave this thread free, and their turn to others when nobody waits for them any more", async () => {
    const program = Effect.gen(function* () {
      const reader = yield* StatementReader
      const endless = yield* Effect.forkChild(reader.read(small, options("endless")))
      yield* Effect.sleep("300 millis")
      yield* Fiber.interrupt(endless)
      return yield* reader.read(small, options("a"))
    })
    const statement = await program.pipe(
      Effect.provide(StatementThreads.layer({ ...stubborn, threads: 1 })),
      Effect.runPromise
    )
    expect(statement.accounts).toHaveLength(1)
  }, 600_000)
})
