/** The uploaded files of a feed, brought up to date in the ledger. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type { Account } from "../bank/Account.ts"
import type { Bank } from "../bank/Bank.ts"
import { BankStore } from "../bank/BankStore.ts"
import { NotFound } from "../failure/Failure.ts"
import type { Feed } from "../feed/Feed.ts"
import { Digest } from "../shared/Digest.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import { Transactor } from "../storage/Transactor.ts"
import { warning, type Finding } from "../job/Finding.ts"
import { quarantineFindings, sourceFinding } from "../sync/RunReport.ts"
import type { ConfigOf, FeedReader } from "../sync/FeedReader.ts"
import { combine, empty, rightOf, type SourceResult, type SourceRun } from "../sync/SourceResult.ts"
import { LedgerWriter } from "../sync/LedgerWriter.ts"
import { readingKey, statementOptions, type ReadingOptions } from "./Reading.ts"
import { describe } from "./Refusal.ts"
import type { CsvOptions } from "../feed/CsvOptions.ts"
import { StatementReader } from "./Statement.ts"
import { StatementSource } from "./StatementSource.ts"
import { waitingStatuses, type Upload } from "./Upload.ts"
import { UploadStore } from "./UploadStore.ts"
import { readingOf, withoutLongNumbers } from "./UploadSummary.ts"

type Config = ConfigOf<"upload">

/** The bank that files are booked under, and the account when the feed names one. */
interface UploadOwner {
  readonly bank: Bank
  readonly target: Account | undefined
}

/** A file that was readable when it came and is not now: the others go on, and the job says so. */
const fault = (message: string) => ({
  ...empty,
  findings: [{ severity: "error", category: "validation", code: "FILE_UNREADABLE", message } satisfies Finding]
})

const optionsOf = (run: SourceRun, csv: CsvOptions | undefined): ReadingOptions => ({
  baseCurrency: run.workspace.baseCurrency,
  csv
})

export class UploadSource extends Context.Service<UploadSource, FeedReader<Config>>()(
  "@millrace/core/upload/UploadSource"
) {
  static readonly layer: Layer.Layer<
    UploadSource,
    never,
    BankStore | StatementReader | StatementSource | UploadStore | LedgerWriter | Transactor | Digest
  > = Layer.effect(
    UploadSource,
    Effect.gen(function* () {
      const bankStore = yield* BankStore
      const reader = yield* StatementReader
      const statements = yield* StatementSource
      const uploads = yield* UploadStore
      const writer = yield* LedgerWriter
      const { atomically } = yield* Transactor
      const digest = yield* Digest

      const takeUpload = Effect.fnUntraced(function* (
        run: SourceRun,
        bank: Bank,
        target: Account | undefined,
        upload: Upload,
        csv: CsvOptions | undefined
      ) {
        const options = optionsOf(run, csv)
        // A file that cannot be taken is done with: left as it is, it would wait for the next job for ever. What an
        // earlier reading of it gave stays until another one replaces it.
        const refuse = Effect.fnUntraced(function* (error: string) {
          yield* atomically(
            Effect.gen(function* () {
              yield* writer.guard(rightOf(run, bank.id))
              yield* uploads.setReading(upload.id, { ...upload, reading: readingKey(upload.format, options, digest) })
              yield* uploads.setStatus(upload.id, { status: "failed", jobId: run.job.id, error })
            })
          )
          return fault(`${upload.fileName}: ${error}`)
        })
        if (upload.status !== "processing" || upload.jobId !== run.job.id) {
          yield* atomically(
            Effect.andThen(
              writer.guard(rightOf(run, bank.id)),
              uploads.setStatus(upload.id, { status: "processing", jobId: run.job.id })
            )
          )
        }
        const content = yield* Effect.result(uploads.bytes(upload.id))
        if (Result.isFailure(content)) {
          if (content.failure._tag === "StorageUnavailable") return yield* content.failure
          return yield* refuse(content.failure.message)
        }
        const bytes = content.success
        if (Option.isNone(bytes)) return yield* refuse("its content is gone")
        const read = yield* Effect.result(reader.read(bytes.value, statementOptions(upload.fileName, options)))
        if (Result.isFailure(read)) return yield* refuse(withoutLongNumbers(describe(read.failure)))
        const taken = yield* statements.take(
          rightOf(run, bank.id),
          run.feed,
          bank,
          target,
          upload,
          read.success,
          readingKey(read.success.format, options, digest),
          run.job.options.skipDedup
        )
        return {
          ...empty,
          seen: taken.read,
          changed: taken.changed,
          quarantined: taken.quarantined.length,
          findings: [
            ...quarantineFindings(taken.quarantined),
            ...taken.gaps.map(({ day, fileName, missing, since }) =>
              warning(
                "validation",
                "BALANCE_MISMATCH",
                `${fileName}: the rows since ${since} do not come to the balance of ${day}, ${missing} is missing`
              )
            ),
            ...readingOf(read.success, "")
              .statements.filter((statement) => statement.difference !== undefined && statement.difference !== "0")
              .map((statement) =>
                warning(
                  "validation",
                  "BALANCE_MISMATCH",
                  `${upload.fileName}: account ${statement.account} does not tie out, ${statement.difference} is missing`
                )
              )
          ]
        }
      })

      const accountsOf = Effect.fnUntraced(function* ({ bank, target }: UploadOwner) {
        const accounts = target === undefined ? yield* bankStore.accounts(bank.id) : [target]
        return accounts.map((account) => ({ bank, account }))
      })

      const refresh = Effect.fn("UploadSource.refresh")(function* (run: SourceRun, config: Config) {
        const owner = yield* ownerOf(run.feed, config)
        if (owner === undefined) {
          const finding = sourceFinding("The account of this feed", new NotFound({ resource: "Account" }))
          return { ...empty, findings: [finding] }
        }
        const { bank, target } = owner
        const list = yield* uploads.list(run.feed.id, {})
        // What a feed gives follows from its files and its options: those that were read with others are read again.
        const open = list.filter(
          ({ fileRemovedAt, format, reading, status }) =>
            (waitingStatuses as ReadonlyArray<string>).includes(status) ||
            (fileRemovedAt === undefined &&
              (reading !== readingKey(format, optionsOf(run, config.csv), digest) ||
                (run.job.options.resetCursors && status !== "failed")))
        )
        const results: Array<SourceResult> = []
        for (const upload of open) {
          results.push(
            yield* takeUpload(run, bank, target, upload, config.csv).pipe(
              Effect.catchTag("LeaseLost", (error) =>
                Effect.succeed({ ...empty, findings: [sourceFinding(bank.name, error)] })
              )
            )
          )
        }
        return combine([...results, { ...empty, accounts: yield* accountsOf(owner) }])
      })

      const ownerOf = Effect.fnUntraced(function* (
        feed: Feed,
        config: Config
      ): Effect.fn.Return<UploadOwner | undefined, StorageUnavailable> {
        if (config.accountId === undefined) {
          const bank =
            feed.fileBankId === undefined ? Option.none() : yield* bankStore.get(feed.workspaceId, feed.fileBankId)
          return Option.isNone(bank) ? undefined : { bank: bank.value, target: undefined }
        }
        for (const bank of yield* bankStore.list([feed.workspaceId])) {
          const account = yield* bankStore.account(feed.workspaceId, bank.id, config.accountId)
          if (Option.isSome(account)) return { bank, target: account.value }
        }
        return undefined
      })

      return UploadSource.of({
        banksOf: Effect.fnUntraced(function* (feed, config) {
          const owner = yield* ownerOf(feed, config)
          return owner === undefined ? [] : [owner.bank.id]
        }),
        accountsOf: Effect.fnUntraced(function* (feed, config) {
          const owner = yield* ownerOf(feed, config)
          return owner === undefined ? [] : yield* accountsOf(owner)
        }),
        refresh
      })
    })
  )
}
