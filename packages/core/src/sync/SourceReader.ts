/**
 * Pulling one type of data of one connection or account into the ledger.
 *
 * Pages are held, or put aside, until the source says they are complete; only then are they identified and written. The
 * checkpoint is written last, so it is never ahead of the data; a run that dies in between reads the same
 * rows again and finds them unchanged.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Semaphore from "effect/Semaphore"
import type { Account } from "../bank/Account.ts"
import { BankStore } from "../bank/BankStore.ts"
import type { EnrichmentStore } from "../enrichment/EnrichmentStore.ts"
import type { FeedStore } from "../feed/FeedStore.ts"
import { MatchConfigs } from "../identity/MatchConfigs.ts"
import { JobStore, type Fenced } from "../job/JobStore.ts"
import { makeSafePoints } from "../job/SafePoint.ts"
import { RunLease } from "../job/RunLease.ts"
import type { ErrorCode } from "../failure/ErrorCode.ts"
import type { Coverage, PullRequest } from "../provider/Provider.ts"
import { failureOf, ProtocolViolation, type ProviderError } from "../provider/ProviderError.ts"
import { isDatedType } from "../record/DataType.ts"
import { RecordStore } from "../record/RecordStore.ts"
import type { RecordWrite } from "../record/LedgerRecord.ts"
import { afterRead, type ShownStep } from "../record/Shown.ts"
import * as CalendarDate from "../shared/CalendarDate.ts"
import { Digest } from "../shared/Digest.ts"
import type { Ids } from "../shared/Ids.ts"
import { limits } from "../shared/Limits.ts"
import * as Timestamp from "../shared/Timestamp.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import type { Leases } from "../storage/Lease.ts"
import { Transactor } from "../storage/Transactor.ts"
import type { Observation, Quarantined } from "../record/Observation.ts"
import { PaginationUnstable, type PullError } from "./PullError.ts"
import { type PageSpool, PageSpools } from "./PageSpool.ts"
import { CurrentResumeSnapshot, type OpenSegment } from "./ResumeSnapshot.ts"
import { invertedOf, isWantedBefore, isWholeDue, keyOf, ownersOf, type Segment, wholeFrom } from "./Segment.ts"
import { Stage } from "./Stage.ts"
import type { StageStore } from "./StageStore.ts"
import { decodeCheckpoint, encodeCheckpoint } from "./StoredCheckpoint.ts"
import { LedgerWriter, type WriteRight } from "./LedgerWriter.ts"

export interface Pulled {
  /** Rows of the accounts that count, inside the range of dates where there is one, each counted once. */
  readonly seen: number
  /** Those of them that were new or another. */
  readonly changed: number
  readonly quarantined: ReadonlyArray<Quarantined>
  readonly warnings: ReadonlyArray<{ readonly code: ErrorCode; readonly message: string }>
}

/** Accounts that are matched and written at once. */
const accountsAtOnce = 4

/** How many rows lie inside the range: some sources show what lies around it as well. */
const insideOf = (range: Segment["range"], rows: ReadonlyArray<Observation>): number =>
  range === undefined
    ? rows.length
    : rows.filter(({ date }) => date !== null && date >= range.from && date <= range.to).length

interface ReadAccount {
  /** Some page said something of its rows: else it was not read. */
  readonly isRead: boolean
  readonly coverage: Coverage
  readonly pendingCoverage?: Coverage
}

const isSame = (a: Coverage, b: Coverage): boolean =>
  a.kind === b.kind &&
  (a.kind === "delta" || (b.kind !== "delta" && a.complete === b.complete)) &&
  (a.kind !== "window" || (b.kind === "window" && a.from === b.from && a.to === b.to))

/** What the pages say about rows of an account that they do not show, as far as it can be believed. */
const readOf = (staged: Stage, { capability, accountsAgree }: Segment, providerAccountId: string): ReadAccount => {
  const isFeed = capability.changeModel === "delta" || capability.changeModel === "appendOnly"
  const told = (said: Coverage | undefined): Coverage => {
    if (said === undefined) return isFeed ? { kind: "delta" } : { kind: "full", complete: false }
    if (said.kind === "delta") return said
    const { historyFrom: _, none: __, ...plain } = said
    return { ...plain, complete: plain.complete && accountsAgree }
  }
  const [posted, pending] = [
    staged.coverage(providerAccountId, "posted"),
    staged.coverage(providerAccountId, "pending")
  ]
  const [coverage, pendingCoverage] = [told(posted), told(pending)]
  return {
    isRead: posted !== undefined || pending !== undefined,
    coverage,
    ...(isSame(coverage, pendingCoverage) ? {} : { pendingCoverage })
  }
}

/** How far back an account reaches since a read, where that is news: only who asks for old days can hear that they are gone. */
const historyAfter = (
  { historyFrom }: Account,
  coverage: Coverage,
  shownFrom: CalendarDate.CalendarDate | undefined
): CalendarDate.CalendarDate | undefined => {
  if (shownFrom === undefined || shownFrom === historyFrom) return undefined
  const asked = coverage.kind !== "window" || historyFrom === undefined || coverage.from <= historyFrom
  return asked || shownFrom < historyFrom ? shownFrom : undefined
}

/** What is kept of the days that a read showed, whole or in part; nothing of a feed of changes, which shows no days. */
const stepOf = (
  { kind }: Coverage,
  from: CalendarDate.CalendarDate | undefined,
  oldest: CalendarDate.CalendarDate | undefined,
  times: Pick<ShownStep, "at" | "began">
): ShownStep | undefined => {
  if (from !== undefined) return { from, ...times }
  return kind === "delta" || oldest === undefined ? undefined : { from: oldest, ...times, partial: true }
}

const mostNamed = 10

/** Rows by day, amount and text, as people know them. */
const namesOf = (rows: ReadonlyArray<RecordWrite>): string => {
  const named = rows
    .slice(0, mostNamed)
    .map(({ date, fields }) =>
      [date, fields["amount"], String(fields["description"] ?? "").slice(0, 60)]
        .filter((part) => part !== undefined && part !== null && part !== "")
        .join(" ")
    )
  return named.join("; ") + (rows.length > mostNamed ? ` and ${rows.length - mostNamed} more` : "")
}

export class SourceReader extends Context.Service<
  SourceReader,
  {
    readonly pull: (right: WriteRight, segment: Segment) => Effect.Effect<Pulled, PullError>
  }
>()("@millrace/core/sync/SourceReader") {
  static readonly layer: Layer.Layer<
    SourceReader,
    never,
    | BankStore
    | RecordStore
    | JobStore
    | Leases
    | Transactor
    | LedgerWriter
    | StageStore
    | EnrichmentStore
    | FeedStore
    | Ids
    | Digest
  > = Layer.effect(
    SourceReader,
    Effect.gen(function* () {
      const banks = yield* BankStore
      const records = yield* RecordStore
      const { idleSafePoint } = yield* makeSafePoints
      const { atomically } = yield* Transactor
      const writer = yield* LedgerWriter
      const digest = yield* Digest
      const spools = yield* PageSpools
      const matching = yield* MatchConfigs

      const stage = Effect.fnUntraced(function* (
        segment: Segment,
        request: PullRequest,
        warnings: Array<Pulled["warnings"][number]>,
        left: OpenSegment | undefined,
        aside: PageSpool,
        safePoint: Effect.Effect<void, Fenced | StorageUnavailable>
      ) {
        const resumeSnapshot = yield* CurrentResumeSnapshot
        const runLease = yield* RunLease
        const staged = new Stage(segment.dataType, digest, left?.staged, new Set(invertedOf(segment)))
        let position = left?.position
        const positions = new Set<string>(position === undefined ? [] : [position])
        for (;;) {
          if (runLease.isRevoked()) {
            // What was put aside is of this run alone: the next one reads it again.
            if (position !== undefined && aside.isEmpty) {
              resumeSnapshot?.leave({ key: keyOf(segment), request, position, warnings, staged: staged.state })
            }
            return yield* runLease.release
          }
          const page = yield* segment.session.pull({
            ...request,
            ...(position === undefined ? {} : { position })
          })
          staged.add(page)
          for (const { error } of page.troubles ?? []) {
            warnings.push({ code: failureOf(error).code, message: error.message })
          }
          yield* aside.after(staged)
          position = page.end.kind === "more" ? page.end.position : undefined
          if (position === undefined) return staged
          if (positions.has(position)) {
            return yield* new ProtocolViolation({
              message: "The provider leads from page to page in a circle",
              path: "position"
            })
          }
          positions.add(position)
          yield* safePoint
        }
      })

      /** Reads until a set of pages is consistent; says what had to be given up for it. */
      const settle = Effect.fnUntraced(function* (
        segment: Segment,
        first: PullRequest,
        left: OpenSegment | undefined,
        right: WriteRight
      ) {
        const warnings: Array<Pulled["warnings"][number]> = [...(left?.warnings ?? [])]
        const safePoint = yield* idleSafePoint(right.fence)
        let request = left?.request ?? first
        for (let tries = 0; tries <= limits.paginationRestarts; tries++) {
          const from = tries === 0 ? left : undefined
          const aside = yield* spools.open(segment.bank.workspaceId, right)
          const outcome: Stage | ProviderError = yield* stage(segment, request, warnings, from, aside, safePoint).pipe(
            Effect.onExit((exit) => (Exit.isSuccess(exit) ? Effect.void : Effect.ignore(aside.drop))),
            Effect.catchTag(
              ["MutationDuringPagination", "CheckpointInvalid", "RangeNotAllowed"],
              (error: ProviderError) => Effect.succeed(error)
            )
          )
          if (outcome instanceof Stage) return { staged: outcome, aside, warnings }
          if (outcome._tag === "CheckpointInvalid" && request.checkpoint !== undefined) {
            warnings.push({
              code: "CHECKPOINT_LOST",
              message: "The provider lost our place; everything was read again"
            })
            const { checkpoint: _, ...whole } = request
            request = { ...whole, from: segment.earliest }
            continue
          }
          if (outcome._tag === "RangeNotAllowed") {
            const earliest = CalendarDate.parse(outcome.earliest)
            if (earliest !== undefined && earliest > request.from && earliest <= request.to) {
              // Anyone who asked for no range asked for what there is.
              if (segment.range !== undefined) {
                warnings.push({ code: "RANGE_CLAMPED", message: `The provider gives no data before ${earliest}` })
              }
              request = { ...request, from: earliest }
              continue
            }
          }
          if (outcome._tag !== "MutationDuringPagination") return yield* outcome
        }
        return yield* new PaginationUnstable({ message: "The data changed while it was read, on every try" })
      })

      const firstDay = Effect.fnUntraced(function* (segment: Segment) {
        if (segment.range !== undefined) return segment.range.from
        if (segment.reset || segment.capability.changeModel === "snapshotFull") return segment.earliest
        // Without a checkpoint nobody knows what a change feed has told since: it may be of any day.
        if (segment.capability.changeModel === "delta") return segment.earliest
        const back = Math.max(segment.lookbackDays, segment.capability.overlapDays)
        let latest: CalendarDate.CalendarDate | undefined
        // Days that were left out for somebody else, and are wanted now.
        if (isWantedBefore(segment)) return wholeFrom(segment)
        for (const account of ownersOf(segment)) {
          const scope = { workspaceId: segment.bank.workspaceId, accountId: account.id, dataType: segment.dataType }
          // An account that was never read whole begins at the beginning.
          if ((yield* records.pulledAt(scope)) === undefined) return wholeFrom(segment)
          const date = (yield* records.latestDate(scope)) ?? segment.earliest
          if (latest === undefined || date < latest) latest = date
        }
        const from = CalendarDate.addDays(CalendarDate.min(latest ?? segment.earliest, segment.today), -back)
        return CalendarDate.max(segment.earliest, from)
      })

      const firstDayAsked = Effect.fnUntraced(function* (segment: Segment) {
        const first = yield* firstDay(segment)
        const { earliest, range, reachingTo } = segment
        return range !== undefined || reachingTo === undefined
          ? first
          : CalendarDate.min(first, CalendarDate.max(reachingTo, earliest))
      })

      const pull = Effect.fn("SourceReader.pull")(function* (right: WriteRight, segment: Segment) {
        const resumeSnapshot = yield* CurrentResumeSnapshot
        const began = yield* Timestamp.now
        const already = resumeSnapshot?.done.get(keyOf(segment))
        if (already !== undefined) return already
        const { instanceId } = segment.session.driver
        const key = { bankId: segment.bank.id, accountId: segment.account?.id, dataType: segment.dataType }
        const origin = { instanceId, changeModel: segment.capability.changeModel }
        const kept = segment.reset || segment.range !== undefined ? undefined : yield* records.checkpoint(key)
        const decoded = kept === undefined ? undefined : decodeCheckpoint(origin, kept)
        const lost = kept !== undefined && decoded === undefined
        const owners = ownersOf(segment)
        const ownerIds = owners.map((account) => account.providerAccountId)
        // Rows of an account that was not listed had nowhere to go, and the upstream tells them once.
        const wasLeftOut = decoded?.accounts !== undefined && !ownerIds.every((id) => decoded.accounts!.includes(id))
        const stored = wasLeftOut ? undefined : decoded?.checkpoint
        const isDue = isWholeDue(segment, decoded?.whole)
        const request: PullRequest = {
          dataType: segment.dataType,
          providerAccountIds: ownerIds,
          from:
            lost || wasLeftOut
              ? segment.earliest
              : isDue && segment.isLive !== true
                ? wholeFrom(segment)
                : yield* firstDayAsked(segment),
          to: segment.range?.to ?? segment.today,
          ...(stored === undefined ? {} : { checkpoint: stored })
        }
        const left = resumeSnapshot?.resume(keyOf(segment), stored)
        const { aside, staged, warnings } = yield* settle(segment, request, left, right)
        if (lost) {
          warnings.unshift({
            code: "CHECKPOINT_LOST",
            message: "The place that was kept is of another provider or release; everything was read again"
          })
        }

        const reads = new Map(owners.map((account) => [account, readOf(staged, segment, account.providerAccountId)]))
        // A change feed does not say a second time what is gone: it is read whole again.
        const incomplete =
          segment.capability.changeModel === "delta" &&
          !segment.accountsAgree &&
          [...reads.values()].some(({ coverage }) => coverage.kind !== "delta")
        const asked = new Set(ownerIds)
        let seen = 0
        let changed = 0
        const shownFrom = new Map<Account, CalendarDate.CalendarDate>()
        const oldest = new Map<Account, CalendarDate.CalendarDate>()
        for (const providerAccountId of staged.accounts) {
          if (asked.has(providerAccountId) || segment.unreadIds?.has(providerAccountId) === true) continue
          const reason = `rows of an account that is not listed or has no ${segment.dataType}`
          staged.quarantined.push({ providerId: providerAccountId, reason })
        }
        // One question for all of them; of a single account it goes beside others.
        const tuning =
          owners.length > 1
            ? {
                dedupes: yield* matching.dedupes({ workspaceId: segment.bank.workspaceId, dataType: segment.dataType })
              }
            : {}
        const steps = isDatedType(segment.dataType)
          ? yield* records.shown(
              segment.dataType,
              owners.map(({ id }) => id)
            )
          : undefined
        const writeAccount = Effect.fnUntraced(function* (account: Account) {
          const scope = { workspaceId: segment.bank.workspaceId, accountId: account.id, dataType: segment.dataType }
          const { coverage, pendingCoverage } = reads.get(account)!
          const read = {
            scope,
            removed: staged.removed(account.providerAccountId),
            unread: staged.unread(account.providerAccountId),
            coverage,
            ...(pendingCoverage === undefined ? {} : { pendingCoverage }),
            ...staged.said(account.providerAccountId),
            idTrust: segment.capability.idTrust,
            changeModel: segment.capability.changeModel,
            byIdOnly: segment.byIdOnly,
            // A range of dates is no read like others: it is not remembered which rows it has shown.
            ...(steps === undefined || segment.range !== undefined ? {} : { shownBefore: steps.get(account.id) ?? [] }),
            ...(segment.reset ? { reset: true as const } : {}),
            ...tuning
          }
          const shown =
            segment.range === undefined
              ? staged.shown(account.providerAccountId, aside.count(account.providerAccountId))
              : undefined
          let inside: number | undefined
          const rows = Effect.tap(aside.rows(staged, account.providerAccountId), (observations) => {
            inside = insideOf(segment.range, observations)
            return Effect.void
          })
          const written =
            shown === undefined
              ? yield* writer.write(right, { ...read, observations: yield* rows })
              : yield* writer.writeSpooled(right, { ...read, shown, rows })
          if (written.shownFrom !== undefined) shownFrom.set(account, written.shownFrom)
          if (written.oldest !== undefined) oldest.set(account, written.oldest)
          if (segment.counted === undefined || segment.counted.has(account.id)) {
            const all = written.unchanged + written.changed
            seen += Math.min(inside ?? all, all)
            changed += Math.min(inside ?? all, written.changed)
          }
          if (written.demoted) {
            warnings.push({
              code: "ID_UNTRUSTED",
              message: `The provider gives rows of ${account.accountName} ids that belong to others; they are distinguished by their contents from now on`
            })
          }
          if (written.shownOnce.length > 0) {
            warnings.push({
              code: "PAGINATION_UNSTABLE",
              message: `Rows of ${account.accountName} that one read alone had shown are in the trash, where they can be restored: ${namesOf(written.shownOnce)}`
            })
          } else if (written.coverageSuspect) {
            warnings.push({
              code: "PAGINATION_UNSTABLE",
              message: `Too many rows of ${account.accountName} vanished at once to be believed; none was removed`
            })
          }
        })
        // While the database writes some accounts, others are matched, and commits wait for the disk together. Of a large
        // pull no more accounts are held at once than a stage may hold rows; one that has more than that is held alone.
        const held = Semaphore.makeUnsafe(limits.stagedInMemory)
        const alongside = (account: Account) => {
          const { providerAccountId } = account
          const rows = aside.count(providerAccountId) + staged.heldRows(providerAccountId).length
          const share = Math.min(Math.max(rows, 1), limits.stagedInMemory)
          return held.withPermits(aside.isEmpty ? 1 : share)(writeAccount(account))
        }
        yield* Effect.forEach(owners, alongside, { concurrency: accountsAtOnce, discard: true }).pipe(
          Effect.ensuring(Effect.ignore(aside.drop))
        )
        yield* atomically(
          Effect.gen(function* () {
            yield* writer.guard(right)
            // A range of dates says nothing about what lies outside it: checkpoint and watermark stay.
            if (segment.range !== undefined) return
            // An account whose bank is away for long does not have all the others read whole each time.
            const wasWhole =
              isDue &&
              request.from <= wholeFrom(segment) &&
              [...reads.values()].some(({ coverage }) => coverage.kind !== "delta" && coverage.complete)
            const whole = wasWhole ? { from: wholeFrom(segment), on: segment.today } : decoded?.whole
            const next =
              staged.checkpoint === undefined && whole === undefined
                ? undefined
                : encodeCheckpoint(origin, {
                    checkpoint: staged.checkpoint ?? stored,
                    // What was told of an account that could not be read went nowhere: the next run reads it whole.
                    accounts:
                      segment.account === undefined && staged.checkpoint !== undefined
                        ? ownerIds.filter((_, at) => reads.get(owners[at]!)!.isRead)
                        : undefined,
                    whole
                  })
            if (!incomplete && (next === undefined ? lost : next !== kept)) yield* records.saveCheckpoint(key, next)
            const at = yield* Timestamp.now
            const scopes: Array<Parameters<typeof records.setPulled>[0][number]> = []
            for (const account of owners) {
              const { coverage, isRead } = reads.get(account)!
              if (!isRead) continue
              const { dataType, leftOut, range } = segment
              const readFrom = account.readFrom?.[dataType]
              if (range === undefined && request.from === wholeFrom(segment)) {
                // The first read of the account, or one that reached as far back as is wanted now.
                const isFirst =
                  leftOut !== undefined &&
                  readFrom === undefined &&
                  (yield* records.pulledAt({
                    workspaceId: segment.bank.workspaceId,
                    accountId: account.id,
                    dataType
                  })) === undefined
                const from = isFirst || readFrom !== undefined ? leftOut : undefined
                const reaching = from !== undefined && readFrom !== undefined && readFrom < from ? readFrom : from
                if (reaching !== readFrom) yield* banks.setReadFrom(account.id, dataType, reaching)
              }
              const scope = { workspaceId: segment.bank.workspaceId, accountId: account.id, dataType: segment.dataType }
              const from = shownFrom.get(account)
              const step = stepOf(coverage, from, oldest.get(account), { at, began })
              const shown =
                steps === undefined || step === undefined ? undefined : afterRead(steps.get(account.id) ?? [], step)
              scopes.push({ ...scope, shown })
              const reaches = segment.dataType === "transactions" ? historyAfter(account, coverage, from) : undefined
              if (reaches !== undefined) yield* banks.setHistoryFrom(account.id, reaches)
            }
            yield* records.setPulled(scopes)
          })
        )
        const pulled: Pulled = { seen, changed, quarantined: staged.quarantined, warnings }
        resumeSnapshot?.done.set(keyOf(segment), pulled)
        return pulled
      })

      return SourceReader.of({ pull })
    })
  ).pipe(Layer.provide([PageSpools.layer, MatchConfigs.layer]))
}
