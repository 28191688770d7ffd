/** What must be true of a connection and its feeds: after every job, and when all is quiet. */
import type { Account } from "@millrace/core/bank"
import type { Job } from "@millrace/core/job"
import type { LedgerRecord } from "@millrace/core/record"
import { type Checkpoint, RecordStore } from "@millrace/core/storage"
import { CalendarDate, Decimal } from "@millrace/core"
import { onRemovedOf } from "../../../core/src/sync/Decision.ts"
import { decodeCheckpoint } from "../../../core/src/sync/StoredCheckpoint.ts"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import type { TrueRow } from "@millrace/testing/fake"
import type { ConnectionScenario } from "./ConnectionScenario.ts"
import type { FollowingFeed, Shown } from "./FollowingFeed.ts"
import { must, mustEqual, mustMatch } from "./Invariant.ts"
import { checkPushed } from "./Pushing.ts"
import type { Watch } from "./Watch.ts"

/** Every record of an account, tombstones too, in change order. */
export const ledgerOf = Effect.fnUntraced(function* (account: Account) {
  const records = yield* RecordStore
  const scope = { workspaceId: account.workspaceId, accountId: account.id, dataType: "transactions" as const }
  return yield* records.changes(scope, { after: 0, upTo: Number.MAX_SAFE_INTEGER, limit: 100_000 })
})

const textOf = (row: {
  readonly date: unknown
  readonly amount: unknown
  readonly description: unknown
  readonly pending: unknown
}) => `${String(row.date)} ${String(row.amount)} ${String(row.description)} ${String(row.pending)}`

const textOfRecord = ({ fields, pending }: LedgerRecord): string =>
  textOf({ date: fields["date"], amount: fields["amount"], description: fields["description"], pending })

const textOfRow = (row: TrueRow): string => textOf({ ...row, amount: Decimal.make(row.amount) })

const countsOf = (texts: ReadonlyArray<string>): Map<string, number> => {
  const counts = new Map<string, number>()
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1)
  return counts
}

/** Days by which an upstream may correct the date of a posted row. */
const correctedDays = 3

/** What the ledger had of a posted row stays while the bank shows less of its history, and takes nothing back. */
const checkHistory = (scenario: ConnectionScenario, account: Account, records: ReadonlyArray<LedgerRecord>): void => {
  const { kept, misled, sometimes, upstream } = scenario
  const live = countsOf(records.filter(({ pending, state }) => state === "live" && !pending).map(textOfRecord))
  const truth = scenario.hand.rows((row) => row.account === account.providerAccountId && !row.pending)
  const shown = new Set(upstream.stillShown)
  // Of the amount of one that is shown, and of its day or near it: it may have been corrected into that one.
  const mayHaveBecome = (row: TrueRow) =>
    truth.some(
      (one) =>
        shown.has(one) &&
        one.amount === row.amount &&
        Math.abs(CalendarDate.daysBetween(one.date, row.date)) <= correctedDays
    )
  const left = new Map<string, number>()
  const had = new Map<string, number>()
  for (const row of truth) {
    const text = textOfRow(row)
    if (kept.get(row.line) !== text) continue
    had.set(text, (had.get(text) ?? 0) + 1)
    if (!upstream.leftOut.has(row.line)) continue
    if (!mayHaveBecome(row)) left.set(text, (left.get(text) ?? 0) + 1)
    if (!shown.has(row)) sometimes.happened("older record kept that the bank no longer shows")
  }
  // A short answer that claims to be whole may have taken away what is shown again.
  if (!misled) {
    for (const [text, times] of left) {
      must("history that the bank no longer shows stays", (live.get(text) ?? 0) >= times, () => ({ text, records }))
    }
  }
  for (const row of truth) {
    const text = textOfRow(row)
    if (kept.get(row.line) === text || (live.get(text) ?? 0) <= (had.get(text) ?? 0)) continue
    had.set(text, (had.get(text) ?? 0) + 1)
    kept.set(row.line, text)
  }
}

/** Identities and change numbers, against the ledger as it was when it was last looked at. */
export const checkLedger = Effect.fnUntraced(function* (scenario: ConnectionScenario) {
  const { before, hand, ids, provider, sometimes, upstream } = scenario
  for (const account of scenario.accounts) {
    const records = yield* ledgerOf(account)
    checkHistory(scenario, account, records)
    const numbers = new Set(records.map((record) => record.changeNo))
    must("change numbers move with every change, and only then", numbers.size === records.length, () => records)
    const live = new Map<string, LedgerRecord>()
    const settled = new Set<string>()
    /** Records that went from pending to booked in the same words, for the same amount. */
    const settledAlike = new Set<string>()
    for (const record of records) {
      if (record.state === "live") live.set(record.providerId, record)
      const old = before.get(record.id)
      if (old === record) continue
      // A twin that came while the bank no longer showed it may have taken its place.
      if (old !== undefined && old.providerId !== record.providerId && old.hash === record.hash) {
        for (const [line, id] of ids) if (id === record.id && upstream.leftOut.has(line)) ids.delete(line)
      }
      if (old?.pending === true && !record.pending && old.providerId !== record.providerId) {
        settled.add(record.id)
        const isAlike = ["amount", "description"].every((name) => old.fields[name] === record.fields[name])
        if (isAlike) settledAlike.add(record.id)
      }
      const moved =
        old === undefined || old.hash !== record.hash || old.state !== record.state || old.pending !== record.pending
      must(
        "change numbers move with every change, and only then",
        moved
          ? record.changeNo > (old?.changeNo ?? 0)
          : // It may have gone and come back since.
            record.version > old.version + 1 ||
              old.providerId !== record.providerId ||
              // What is said beside a record moves its number as well.
              (scenario.sets.length > 0 ? record.changeNo >= old.changeNo : record.changeNo === old.changeNo),
        () => ({ old, record })
      )
      if (old !== undefined) {
        const isOther =
          old.state !== record.state || old.pending !== record.pending || !Equal.equals(old.fields, record.fields)
        must(
          "public change numbers move with the public form, and only then",
          isOther
            ? record.publicChangeNo > old.publicChangeNo
            : record.publicChangeNo === old.publicChangeNo || record.version > old.version + 1,
          () => ({ old, record })
        )
      }
      if (old !== undefined && old.state !== record.state) {
        sometimes.happened(record.state === "live" ? "record revived" : "record removed")
      }
      before.set(record.id, record)
    }
    // Anyone who was told that rows are gone may have given their records to equal ones that came meanwhile.
    if (!hand.trusted || scenario.misled) continue
    const gone = new Set(records.filter(({ state }) => state === "removed").map(({ id }) => id))
    for (const row of upstream.rows.values()) {
      if (row.account !== account.providerAccountId) continue
      const known = ids.get(row.line)
      const isToldBroken = row.broken === true && !upstream.leftOut.has(row.line)
      if (isToldBroken && known !== undefined && provider.options.idTrust === "stable") {
        must("a row that cannot be read has not vanished", !gone.has(known), () => row)
      }
      const record = live.get(row.providerId)
      if (record === undefined) {
        // What settled in a form that cannot be read may have lost its record to an equal row that can, and what was
        // pending outside the days that were read to one that it may have become.
        if (row.broken === true || (known !== undefined && settled.has(known))) ids.delete(row.line)
        continue
      }
      // Nobody has read the row as it is now: the record may be that of another event that had the id before.
      if (textOfRecord(record) !== textOfRow(row)) continue
      const { id } = record
      const settledAlone =
        provider.options.idTrust === "perStatus" && !row.pending && row.pendingProviderId === undefined
      // Shown beside a pending row that says the same and is gone now, it may be the booked form of that.
      if (!settledAlone && !settledAlike.has(id) && known !== undefined) {
        mustEqual("a record keeps its identity", id, known, `line ${row.line}`)
      }
      ids.set(row.line, id)
    }
  }
})

/** What a checkpoint promises to be read is there. */
export const checkCheckpoint = Effect.fnUntraced(function* (
  scenario: ConnectionScenario,
  key: Checkpoint,
  value: string
) {
  const { accounts, bank, provider, upstream } = scenario
  if (key.bankId !== bank.id || key.dataType !== "transactions") return
  const { changeModel, instance } = provider.options
  const given = decodeCheckpoint({ instanceId: provider.driver.instanceId, changeModel }, value)
  must("the checkpoint is not ahead of the data", given !== undefined, () => ({ instance, value }))
  // A driver that has no checkpoint promises nothing.
  if (given!.checkpoint === undefined) return
  const [, generation, end] = given!.checkpoint.split(":").map(Number)
  if (generation !== upstream.generation || changeModel === "snapshotFull") return
  const owners = accounts.filter(({ id }) => key.accountId === undefined || key.accountId === id)
  const shown = upstream.shownAt(end!)
  for (const account of owners) {
    // What is reported behind a checkpoint that is not of the account is reported again.
    if (given!.accounts?.includes(account.providerAccountId) === false) continue
    if (upstream.unlisted.has(account.providerAccountId)) continue
    const held = new Map<string, string>()
    for (const record of yield* Effect.orDie(ledgerOf(account))) {
      if (record.state === "live") held.set(record.providerId, textOfRecord(record))
    }
    for (const row of shown) {
      if (row.account !== account.providerAccountId || row.broken === true || upstream.leftOut.has(row.line)) continue
      mustEqual("the checkpoint is not ahead of the data", held.get(row.providerId), textOfRow(row), row.providerId)
    }
  }
})

const postedSum = (amounts: ReadonlyArray<string>): string => Decimal.sum(amounts.map(Decimal.make))

/** Whether reads of the bank say of a day of an account what was posted then. */
const provenBy = (
  { provider, upstream }: ConnectionScenario,
  { providerAccountId }: Account
): ((date: CalendarDate.CalendarDate) => boolean) => {
  const { changeModel, saysHistory } = provider.options
  const own = [...upstream.rows.values()].filter(({ account, pending }) => account === providerAccountId && !pending)
  const shown = new Set(upstream.stillShown)
  const days = own.filter((row) => shown.has(row)).map(({ date }) => date)
  const left = own.filter((row) => !shown.has(row)).map(({ date }) => date)
  if (changeModel === "appendOnly") return () => true
  if (saysHistory === true) return (date) => left.every((one) => date > one)
  return (date) => days.some((one) => date > one)
}

const checkAgainstBank = (
  scenario: ConnectionScenario,
  account: Account,
  records: ReadonlyArray<LedgerRecord>
): void => {
  const { provider, upstream } = scenario
  const { instance } = provider.options
  const truth = upstream.stillShown.filter((row) => row.account === account.providerAccountId)
  const live = records.filter(({ state }) => state === "live")
  const isProven = provenBy(scenario, account)
  const provenRows = truth.filter(({ date, pending }) => pending || isProven(date))
  const provenRecords = live.filter(({ date, pending }) => pending || isProven(date!))
  mustMatch("the ledger is what the bank says", provenRecords.map(textOfRecord), provenRows.map(textOfRow), instance)
  mustEqual(
    "the posted sum of the ledger is that of the bank",
    postedSum(provenRecords.filter(({ pending }) => !pending).map(({ fields }) => String(fields["amount"]))),
    postedSum(provenRows.filter(({ pending }) => !pending).map(({ amount }) => amount)),
    account.id
  )
  // Of older days there is all that is shown, and besides only what was shown once.
  const older = countsOf(live.filter((record) => !provenRecords.includes(record)).map(textOfRecord))
  for (const [text, times] of countsOf(truth.filter((row) => !provenRows.includes(row)).map(textOfRow))) {
    must("the ledger is what the bank says", (older.get(text) ?? 0) >= times, () => ({ instance, text, times }))
  }
  const ever = countsOf(
    upstream.events.flatMap(({ row }) => (row.account === account.providerAccountId ? [textOfRow(row)] : []))
  )
  for (const [text, times] of older) {
    // A row of the oldest day that was on two pages is never proven to be one too many.
    if (scenario.doubled && ever.has(text)) continue
    must("the ledger holds nothing that the bank never showed", (ever.get(text) ?? 0) >= times, () => ({
      instance,
      text
    }))
  }
}

const categoryOf = ({ enrichments: { rule } }: ConnectionScenario, description: string): string => {
  if (rule?.enabled !== true || !description.includes("coffee")) return "UNCATEGORIZED"
  return (rule.config as { readonly rules: ReadonlyArray<{ readonly action: { readonly value: string } }> }).rules[0]!
    .action.value
}

const checkDestination = (
  scenario: ConnectionScenario,
  { deleted, feed }: FollowingFeed,
  rows: ReadonlyArray<{ readonly key: string; readonly values: Shown }>,
  records: ReadonlyMap<string, LedgerRecord>
): void => {
  const options = feed.dataTypeOptions
  const hides = options.dataType === "transactions" && options.pendingMode === "filter_pending"
  const drops = scenario.enrichments.filter?.enabled === true
  const isShown = (record: LedgerRecord) =>
    !(hides && record.pending) && !(drops && String(record.fields["description"]).includes("skip"))
  must("no row is delivered twice", new Set(rows.map(({ key }) => key)).size === rows.length, () => rows)
  const there = new Map(rows.map(({ key, values }) => [key.slice("transactions:".length), values]))
  const about = `${scenario.provider.options.instance} to ${feed.destinationConfig?.type ?? "nothing"}`
  for (const record of records.values()) {
    if (record.state !== "live" || !isShown(record)) continue
    const values = there.get(record.id)
    if (values === undefined && deleted.has(`transactions:${record.id}`)) continue
    const { amount, date, description } = record.fields
    const expected: Shown = {
      id: record.id,
      date,
      amount,
      description,
      pending: record.pending,
      category: categoryOf(scenario, String(description)),
      removed: false
    }
    mustEqual("the destination holds what the ledger shows", values, expected, about)
  }
  for (const [id, values] of there) {
    const record = records.get(id)
    if (record === undefined) {
      must("no row of another workspace", false, () => ({ about, id, values }))
      continue
    }
    const rule = onRemovedOf(feed, record)
    if (record.state === "live") {
      // A pending row that an earlier mode delivered stays only where rows are never taken away.
      const kept = hides && record.pending && rule !== "delete"
      must("the destination holds what the ledger shows", kept || isShown(record), () => ({ about, record, values }))
      continue
    }
    const right = rule === "keep" || (rule === "mark" && values.removed === true)
    must("the destination holds what the ledger shows", right, () => ({ about, record, rule, values }))
  }
}

/** When nothing is left to do: the ledger against the bank, and each destination against the ledger. */
export const checkEnd = Effect.fnUntraced(function* (scenario: ConnectionScenario) {
  const records = new Map<string, LedgerRecord>()
  for (const account of scenario.accounts) {
    const own = yield* ledgerOf(account)
    checkAgainstBank(scenario, account, own)
    for (const record of own) records.set(record.id, record)
  }
  for (const under of scenario.feeds) {
    const pushed = yield* checkPushed(under)
    const all = new Map([...records, ...pushed.map((record) => [record.id, record] as const)])
    checkDestination(scenario, under, yield* under.rows, all)
  }
})

/** After a run that found nothing new: nothing was written, here or there. Forgets what was noted. */
export const checkStill = (watch: Watch, under: FollowingFeed, job: Job, rows: number): void => {
  const written = [...watch.writes.keys()].filter(
    // When it was read last is noted by every read, what is settled by the first one that finds it so, and an empty
    // file is made again.
    (call) =>
      call !== "RecordStore.setPulled" &&
      call !== "RecordStore.keepDayHashes" &&
      !(call === "Destination.replace" && rows === 0)
  )
  mustEqual("a run without news writes nothing", [job.status, written], ["completed", []], under.feed.id)
}
