/** What is stored of account numbers of files: nothing that tells them. */
import * as NodeDigest from "../../src/digest/NodeDigest.ts"
import * as Adapters from "../../src/Adapters.ts"
import { layer as aesSecrets } from "../../src/secrets/AesSecrets.ts"
import { layer as storage } from "../../src/storage/postgres/PostgresStorage.ts"
import { sealAccounts } from "../../src/storage/postgres/SealAccounts.ts"
import { BankStore, JobStore } from "@millrace/core/storage"
import { JobEngine } from "@millrace/core/job"
import { Kernel, SyncRun, Uploads } from "@millrace/core/kernel"
import { AccountSeal } from "@millrace/core/upload"
import { makeMadeBank, storeAccount } from "@millrace/testing/fixture"
import { openUploadFeed } from "@millrace/verification/upload/UploadWorld"
import { layer as database } from "@millrace/verification/postgres/TestPostgres"
import { expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as SqlClient from "effect/sql/SqlClient"
import { inject } from "vitest"

const world = Kernel.layerUseCases(Redacted.make("only for tests")).pipe(
  Layer.provideMerge(Layer.succeed(JobEngine, { poke: () => Effect.void, interrupt: () => Effect.void })),
  Layer.provideMerge(Kernel.layerRun),
  Layer.provideMerge(Adapters.layer({ providers: [], folder: undefined })),
  Layer.provideMerge(storage),
  Layer.provide(aesSecrets({ key: Redacted.make(Buffer.alloc(32, 5).toString("base64")) })),
  Layer.provideMerge(NodeDigest.layer),
  Layer.provideMerge(database(inject("postgres")))
)

const iban = "CH9300762011623852957"
const plainNumber = "700800900100"

const csv = `Account:;CH93 0076 2011 6238 5295 7
Date;Description;Amount;Currency;Account
2026-03-02;Coffee;-4.50;CHF;${iban}
`
const ofx = `OFXHEADER:100
DATA:OFXSGML
VERSION:102

<OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>EUR<BANKACCTFROM><BANKID>100<ACCTID>${plainNumber}<ACCTTYPE>CHECKING
</BANKACCTFROM><BANKTRANLIST><DTSTART>20260301<DTEND>20260331<STMTTRN><TRNTYPE>DEBIT<DTPOSTED>20260310<TRNAMT>-1.00
<FITID>F1<NAME>Tea</STMTTRN></BANKTRANLIST><LEDGERBAL><BALAMT>10.00<DTASOF>20260331</LEDGERBAL></STMTRS>
</STMTTRNRS></BANKMSGSRSV1></OFX>`

const run = Effect.fnUntraced(function* (feedId: Parameters<JobStore["Service"]["active"]>[0]) {
  const [jobs, runs] = [yield* JobStore, yield* SyncRun]
  const job = Option.getOrThrow(yield* jobs.active(feedId))
  yield* runs.run(Option.getOrThrow(yield* jobs.claim(job.id, yield* runs.banksOf(feedId))))
})

/** Every row of every table, as text; bytes too. */
const dump = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const tables = yield* sql<{
    readonly name: string
  }>`select quote_ident(table_schema) || '.' || quote_ident(table_name)
    as name from information_schema.tables
    where table_schema not in ('pg_catalog', 'information_schema') and table_type = 'BASE TABLE'`
  const rows: Array<string> = []
  for (const { name } of tables) {
    for (const row of yield* sql<{ readonly text: string }>`select t::text as text from ${sql.literal(name)} t`) {
      const bytes = row.text.replaceAll(/\\\\?x((?:[0-9a-f]{2}){8,})/g, (_, hex: string) =>
        Buffer.from(hex, "hex").toString("latin1")
      )
      rows.push(bytes.toUpperCase().replaceAll(/[\s.\-/_]/g, ""))
    }
  }
  return rows
})

/** Rows of the database that hold one of the numbers, however it is grouped. */
const told = Effect.map(dump, (rows) => rows.filter((row) => row.includes(iban) || row.includes(plainNumber)))

const upload = (name: string, text: string, contentType: string) =>
  Effect.gen(function* () {
    const { feed, caller } = yield* openUploadFeed
    const file = { fileName: name, contentType, bytes: new TextEncoder().encode(text) }
    const { upload: made } = yield* (yield* Uploads).add(caller, feed.id, file)
    yield* run(feed.id)
    return { feed, caller, made }
  })

layer(world, { excludeTestServices: true, timeout: "60 seconds" })("numbers of accounts of files", (it) => {
  it.effect("are nowhere in the database", () =>
    Effect.gen(function* () {
      const one = yield* upload(`Auszug ${iban} 2026.csv`, csv, "text/csv")
      const two = yield* upload(`${plainNumber}.ofx`, ofx, "application/x-ofx")
      const banks = yield* BankStore
      for (const { feed } of [one, two]) {
        const accounts = yield* banks.accounts(feed.fileBankId!)
        expect(accounts.map(({ accountNumber }) => accountNumber)).toEqual([
          feed === one.feed ? "****2957" : "****0100"
        ])
      }
      expect([one.made.fileName, two.made.fileName]).toEqual(["Auszug ****2957 2026.csv", "****0100.ofx"])
      expect(yield* told).toEqual([])
    })
  )

  it.effect("are not looked for in an account that was made for a feed", () =>
    Effect.gen(function* () {
      const banks = yield* BankStore
      const { feed } = yield* openUploadFeed
      const bank = yield* banks.holdMade(yield* makeMadeBank(feed, "file"))
      const account = yield* storeAccount(bank, { providerAccountId: "file", stableKeys: [] })
      expect(yield* sealAccounts().pipe(Effect.provide(AccountSeal.layer))).toBe(0)
      expect(yield* banks.accounts(bank.id)).toEqual([account])
    })
  )

  it.effect("that an older version kept become digests, by which the accounts are known again", () =>
    Effect.gen(function* () {
      const banks = yield* BankStore
      const { feed, caller } = yield* upload("march.ofx", ofx, "application/x-ofx")
      const [account] = yield* banks.accounts(feed.fileBankId!)
      const former = `100:${plainNumber}:checking`
      yield* banks.putAccounts([{ ...account!, providerAccountId: former, stableKeys: [former] }])
      expect(yield* told).toHaveLength(1)
      const counts = yield* Effect.all([sealAccounts(), sealAccounts()], { concurrency: "unbounded" }).pipe(
        Effect.provide(AccountSeal.layer)
      )
      expect(counts.toSorted()).toEqual([0, 1])
      expect(yield* told).toEqual([])
      const later = new TextEncoder().encode(ofx.replaceAll("20260310", "20260311").replace("F1", "F2"))
      yield* (yield* Uploads).add(caller, feed.id, { fileName: "later.ofx", contentType: "", bytes: later })
      yield* run(feed.id)
      expect((yield* banks.accounts(feed.fileBankId!)).map(({ id }) => id)).toEqual([account!.id])
    })
  )
})
