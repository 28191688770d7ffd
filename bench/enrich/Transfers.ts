/** Finding transfers and fees among many records: whole plans, beside a plain join of amounts within a window. */
import { CalendarDate, Currency, Decimal, Timestamp, Work } from "@millrace/core"
import type { SetAccount, SetRecord } from "@millrace/core/enrichment"
import { Seeded } from "@millrace/testing/model"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { fees } from "../../packages/core/src/enrichment/kinds/fees/fees.ts"
import { FeesConfig } from "../../packages/core/src/enrichment/kinds/fees/FeesConfig.ts"
import type { SetKind } from "../../packages/core/src/enrichment/kinds/SetKind.ts"
import { legRules } from "../../packages/core/src/enrichment/kinds/transfer/Leg.ts"
import { AmountIndex, MonthLegs } from "../../packages/core/src/enrichment/kinds/transfer/MonthLegs.ts"
import { TextReader } from "../../packages/core/src/enrichment/kinds/transfer/TextSigns.ts"
import { TransferConfig } from "../../packages/core/src/enrichment/kinds/transfer/TransferConfig.ts"
import { transferMatch } from "../../packages/core/src/enrichment/kinds/transfer/transferMatch.ts"
import { standardWeek } from "../../packages/core/src/shared/BusinessCalendar.ts"
import { noRates } from "../../packages/core/src/shared/RateTable.ts"
import { type Comparison, contender } from "../harness/Bench.ts"
import { decimalText } from "../generate.ts"
import type { PlainSigns } from "../../packages/core/test/enrichment/kinds/transfer/PlainPairs.ts"
import { plainTransfers } from "../../packages/core/test/enrichment/kinds/transfer/PlainTransfers.ts"

const euro = Currency.make("EUR")
const first = CalendarDate.make("2016-01-01")
const days = 3_650

const names = [
  ["Everyday", "checking"],
  ["Saver", "savings"],
  ["Sapphire Card", "credit_card"],
  ["Joint", "checking"],
  ["Depot", "brokerage"],
  ["Holiday Pot", "savings"],
  ["Car Loan", "loan"],
  ["Business", "checking"]
] as const

const accounts: ReadonlyArray<SetAccount> = names.map(([accountName, accountType], n) => ({
  accountId: `acct_0000000000000000000000000${n}` as SetAccount["accountId"],
  bankId: "bank_00000000000000000000000001" as SetAccount["bankId"],
  bankName: "Northern Bank",
  accountName,
  accountNumber: `****${4_000 + n}`,
  accountType,
  currency: euro
}))

/** Every twentieth record begins a transfer, of the others a few come in. */
const recordsOf = (count: number): ReadonlyArray<SetRecord> => {
  const random = new Seeded(11)
  const records: Array<SetRecord> = []
  const add = (of: SetAccount, day: number, cents: number, description: string): void => {
    const date = CalendarDate.addDays(first, day)
    const recordId = `txn_${String(records.length).padStart(7, "0")}`
    const fields = { date, amount: decimalText(cents), currency: euro, description }
    records.push({ recordId, accountId: of.accountId, fields })
  }
  while (records.length < count) {
    const day = random.below(days)
    const of = random.pick(accounts)
    const kind = random.below(100)
    if (kind < 5) {
      const to = accounts[(accounts.indexOf(of) + 1 + random.below(accounts.length - 1)) % accounts.length]!
      const cents = 1_000 + random.below(200_000)
      add(of, day, -cents, `TRANSFER TO ${to.accountName.toUpperCase()}`)
      add(to, day + random.below(3), cents, `TRANSFER FROM ${of.accountName.toUpperCase()}`)
    } else if (kind < 12) add(of, day, 1_000 + random.below(200_000), `DEPOSIT ${random.below(3_000)}`)
    else if (kind < 14)
      add(of, day, -100 - random.below(900), random.pick(["ATM FEE", "FOREIGN TRANSACTION FEE", "LATE FEE"]))
    else add(of, day, -100 - random.below(20_000), `SHOP ${random.below(3_000)} MARKET`)
  }
  return records.slice(0, count)
}

/** Equal texts have equal ones: what a hash costs is measured elsewhere. */
const cheapHash = (text: string): string => {
  let hash = 5_381
  for (let at = 0; at < text.length; at++) hash = (Math.imul(hash, 33) ^ text.charCodeAt(at)) >>> 0
  return hash.toString(16).padStart(8, "0").repeat(8)
}

/** As they come out of storage: read from JSON. */
const stored = (records: ReadonlyArray<SetRecord>): ReadonlyArray<SetRecord> =>
  Array.from({ length: Math.ceil(records.length / 1_000) }, (_, n) =>
    JSON.stringify(records.slice(n * 1_000, (n + 1) * 1_000))
  ).flatMap((text): ReadonlyArray<SetRecord> => JSON.parse(text))

/** Records by partition. */
type Partitions = ReadonlyMap<string, ReadonlyArray<SetRecord>>

const placedBy = <Prepared>(
  partitions: SetKind<never, Prepared, never, never>["partitions"],
  prepared: Prepared,
  records: ReadonlyArray<SetRecord>
): Partitions => {
  const placed = new Map<string, Array<SetRecord>>()
  const work = new Work()
  for (const record of records) {
    for (const key of partitions(prepared, record, work)) {
      const list = placed.get(key)
      if (list === undefined) placed.set(key, [record])
      else list.push(record)
    }
  }
  return placed
}

/** As storage hands them out: the records of a partition one behind the other, read from JSON. */
const partitionsOf = <Config, Prepared, State, Evidence>(
  kind: SetKind<Config, Prepared, State, Evidence>,
  config: Config,
  records: ReadonlyArray<SetRecord>
): Partitions =>
  new Map(
    Array.from(placedBy(kind.partitions, kind.prepare(config, new Map()), records), ([key, some]) => [
      key,
      stored(some)
    ])
  )

/** Places all records and plans everything again, as after a change of the enrichment; answers what it says. */
const planAll = <Config, Prepared, State, Evidence>(
  kind: SetKind<Config, Prepared, State, Evidence>,
  config: Config,
  records: ReadonlyArray<SetRecord>,
  held: Partitions
) => {
  const prepared = kind.prepare(config, new Map())
  const dirty = new Set<string>()
  const work = new Work()
  for (const record of records) for (const key of kind.partitions(prepared, record, work)) dirty.add(key)
  const planned = Effect.runSync(
    Effect.result(
      kind.plan({
        work,
        workspaceId: "ws_00000000000000000000000001" as never,
        enrichmentId: "enr_00000000000000000000000001" as never,
        dataType: "transactions",
        name: "Transfers",
        locale: "en",
        timezone: "UTC",
        isPast: () => false,
        at: Timestamp.make("2026-01-31T12:00:00.000Z"),
        prepared,
        revision: 1,
        past: [],
        baseCurrency: euro,
        rates: noRates,
        calendar: standardWeek,
        sha256: cheapHash,
        accounts: new Map(accounts.map((account) => [account.accountId, account])),
        today: CalendarDate.make("2026-01-31"),
        dirty: [...dirty].toSorted(),
        figures: Effect.succeed([]),
        facts: [],
        read: (keys) =>
          Effect.sync(() => new Map(keys.map((key) => [key, { records: held.get(key) ?? [], state: undefined }])))
      })
    )
  )
  return [...Result.getOrThrow(planned).next.values()]
}

/** A booked amount in numbers, as a program that joins would hold it. */
interface Row {
  readonly recordId: string
  readonly account: string
  readonly cents: number
  readonly day: number
}

/** What came in, by amount, and each list by day. */
const byAmount = (inflows: ReadonlyArray<Row>): ReadonlyMap<number, ReadonlyArray<Row>> => {
  const found = new Map<number, Array<Row>>()
  for (const row of inflows) {
    const list = found.get(row.cents)
    if (list === undefined) found.set(row.cents, [row])
    else list.push(row)
  }
  for (const list of found.values()) if (list.length > 1) list.sort((a, b) => a.day - b.day)
  return found
}

/** Outflows and inflows, without sign. */
const rowsOf = (records: ReadonlyArray<SetRecord>): readonly [outflows: Array<Row>, inflows: Array<Row>] => {
  const dayOf = new Map<string, number>()
  const [outflows, inflows]: [Array<Row>, Array<Row>] = [[], []]
  for (const { accountId, fields, recordId } of records) {
    const date = String(fields["date"])
    let day = dayOf.get(date)
    if (day === undefined) dayOf.set(date, (day = Date.parse(date) / 86_400_000))
    const cents = Math.round(Number(fields["amount"]) * 100)
    const row = { recordId, account: accountId, cents: Math.abs(cents), day }
    if (cents < 0) outflows.push(row)
    else inflows.push(row)
  }
  return [outflows, inflows]
}

const apart = 3

/** What programs do that only join: equal amounts of two accounts within three days, the earliest first. */
const joined = (records: ReadonlyArray<SetRecord>): number => {
  const [outflows, inflows] = rowsOf(records)
  const amounts = byAmount(inflows)
  outflows.sort((a, b) => a.day - b.day)
  const used = new Set<string>()
  for (const out of outflows) {
    for (const into of amounts.get(out.cents) ?? []) {
      if (into.day < out.day - apart) continue
      if (into.day > out.day + apart) break
      if (into.account === out.account || used.has(into.recordId)) continue
      used.add(into.recordId)
      break
    }
  }
  return used.size
}

const config = Schema.decodeSync(TransferConfig)({ learn: false })

/** Words that many accounts are called by, and that therefore name none: anyone who is named so may be anybody. */
const common = new Set(["JOINT", "BUSINESS"])

/** What the texts of these records say, as somebody who writes a join would read them. */
const signsOf = (text: string): PlainSigns => {
  const [, whom] = /^TRANSFER (?:TO|FROM) (.+)$/u.exec(text) ?? []
  if (whom === undefined) return text === "ATM FEE" ? { purchase: true } : {}
  if (common.has(whom)) return { transfer: true, party: whom }
  const named = accounts.filter(({ accountName }) => accountName.toUpperCase() === whom)
  return { transfer: true, names: named.map(({ accountId }) => accountId) }
}

const euros = new Set(["EUR"])

/**
 * The same links by a map of amounts and a window of days, over the whole ledger at once: scored, assigned one to one, with margins
 * and confidences. It is the plain statement of the specification that tests hold transfer_match to.
 */
const linked = (records: ReadonlyArray<SetRecord>) =>
  plainTransfers({
    accounts,
    records,
    config,
    baseCurrency: euro,
    signsOf,
    rate: (from, to) => (from === to && euros.has(from) ? 1 : undefined)
  })

type Links = ReturnType<typeof linked>

const kinds: ReadonlyMap<string, string> = new Map([
  ["credit_card", "card_payment"],
  ["loan", "loan_payment"],
  ["brokerage", "investment"]
])
const typeOf = new Map<string, string>(accounts.map(({ accountId, accountType }) => [accountId, accountType]))

/** What each record says about its link: a program that links writes that beside both records. */
const saidOfRecords = (links: Links): ReadonlyMap<string, Readonly<Record<string, unknown>>> => {
  const said = new Map<string, Readonly<Record<string, unknown>>>()
  for (const link of links) {
    const id = cheapHash([link.out, link.in].toSorted().join(" "))
    const [[left, , sent], [arrived, , got]] = [link.outTwin.split(" "), link.inTwin.split(" ")]
    const kind = kinds.get(typeOf.get(arrived!)!) ?? kinds.get(typeOf.get(left!)!) ?? "internal"
    const missing = Number(sent) - Number(got)
    const both = { id, kind, state: link.state, confidence: link.confidence / 10_000, why: link }
    const fee = missing === 0 ? {} : { fee: decimalText(missing / 100) }
    said.set(link.out, { ...both, role: "out", counterpartRecordId: link.in, counterpartAccountId: arrived, ...fee })
    said.set(link.in, { ...both, role: "in", counterpartRecordId: link.out, counterpartAccountId: left, ...fee })
  }
  return said
}

/** Links, and what is said of each record in one, as a program that joins comes to them. */
const linkedAndSaid = (records: ReadonlyArray<SetRecord>) => {
  const links = linked(records)
  return { links, said: saidOfRecords(links) }
}

/** Links of two records each, the sum of what supports them, and how many fields are said of their records. */
const told = (links: number, points: number, fields: number): string =>
  `${links} links, ${points} centibits, ${fields} fields`

const saidOfPeer = ({ links, said }: ReturnType<typeof linkedAndSaid>): string => {
  let fields = 0
  // The reasons are no field.
  for (const one of said.values()) fields += Object.keys(one).length - 1
  return told(
    links.length,
    links.reduce((sum, { score }) => sum + score, 0),
    fields
  )
}

const saidOf = (plans: ReturnType<typeof planTransfers>): string => {
  let [count, points, fields] = [0, 0, 0]
  for (const { claims, links } of plans) {
    // One of three records, of which plain joins know nothing, names no counterpart somewhere.
    const ofTwo = new Set(links.flatMap(({ evidence, members }) => (members.length === 2 ? [evidence.id] : [])))
    for (const { evidence } of claims) if (ofTwo.has(evidence.id)) fields++
    for (const { evidence, members } of links) {
      if (members.length !== 2) continue
      count++
      points += evidence.proof!.pair.score
    }
  }
  return told(count, points, fields)
}

const planTransfers = (records: ReadonlyArray<SetRecord>, held: Partitions) =>
  planAll(transferMatch, config, records, held)

/**
 * The records once, and nothing else: account, day, amount and text of each. No plan over records is faster, and with it the
 * most by which transfer_match could be faster than it is.
 */
const readOnce = (records: ReadonlyArray<SetRecord>): number => {
  const numbers = new Map<string, number>(accounts.map(({ accountId }, n) => [accountId, n]))
  const texts = new Map<string, number>()
  const units = new Float64Array(records.length)
  let seen = 0
  for (let at = 0; at < records.length; at++) {
    const { accountId, fields } = records[at]!
    const text = String(fields["description"])
    let known = texts.get(text)
    if (known === undefined) texts.set(text, (known = texts.size))
    units[at] = Decimal.safeUnits(fields["amount"] as Decimal.Decimal)
    seen += numbers.get(accountId)! + CalendarDate.epochDayOf(String(fields["date"])) + known
  }
  return seen + units.length
}

/**
 * transfer_match beside what says the same, beside a join that says less (it takes the earliest record of an equal amount,
 * whatever texts, other currencies, fees and better matches say, and states neither how sure that is nor why), and beside
 * reading the records, which is the limit.
 *
 * The join that says the same does less than it would have to. It writes one object for each record of a link, where
 * transfer_match writes a claim with its evidence for each field, an event and a link with its evidence. It keeps nothing for
 * the next plan, where transfer_match keeps what could be and what came in by itself, month by month. And it is reported what the
 * texts of these records say.
 */
const whole = (records: ReadonlyArray<SetRecord>, held: Partitions): Comparison => ({
  name: "transfers among all records: placed, read, scored, chosen and said",
  amount: records.length,
  unit: "records",
  time: "processor",
  rounds: 3,
  contenders: [
    contender("transfer_match", () => planTransfers(records, held), saidOf),
    contender("a map-and-window join that comes to the same links", () => linkedAndSaid(records), saidOfPeer),
    contender(
      "a map-and-window join of equal amounts, unscored",
      () => joined(records),
      () => undefined
    ),
    contender(
      "reading the records once",
      () => readOnce(records),
      () => undefined
    )
  ],
  ratios: [
    {
      name: "all of transfer_match against a map-and-window join that comes to the same links",
      of: "transfer_match",
      by: "a map-and-window join that comes to the same links"
    },
    {
      name: "all of transfer_match against a map-and-window join of equal amounts that scores nothing",
      of: "transfer_match",
      by: "a map-and-window join of equal amounts, unscored"
    },
    {
      name: "reading records once against a map-and-window join that comes to the same links: the most there could be",
      of: "reading the records once",
      by: "a map-and-window join that comes to the same links"
    }
  ]
})

const window = { before: 2, after: 10 }

/** The legs of each month, as plans hold them. */
const months = (held: Partitions): ReadonlyArray<MonthLegs> => {
  const reading = {
    accounts: new Map(accounts.map((account) => [account.accountId, account])),
    rules: legRules(config),
    window,
    reader: new TextReader(accounts),
    aside: new Set<string>()
  }
  return [...held].map(([month, some]) => new MonthLegs(month, some, reading))
}

const pairsOfLegs = (all: ReadonlyArray<MonthLegs>): number => {
  let pairs = 0
  for (const legs of all) {
    const amounts = new AmountIndex(legs.ins, legs.outs)
    for (const out of legs.outs) {
      if (!legs.isOwn(out)) continue
      for (const into of amounts.arrived(out)) if (legs.mayMeet(out, into)) pairs++
    }
  }
  return pairs
}

const pairsInRows = ([outflows, inflows]: ReturnType<typeof rowsOf>): number => {
  const amounts = byAmount(inflows)
  let pairs = 0
  for (const out of outflows) {
    for (const into of amounts.get(out.cents) ?? []) {
      if (into.day < out.day - window.before) continue
      if (into.day > out.day + window.after) break
      if (into.account !== out.account) pairs++
    }
  }
  return pairs
}

/** The same work: all pairs of equal amounts, other accounts and days within the window, of numbers that were read before. */
const candidates = (records: ReadonlyArray<SetRecord>, held: Partitions): Comparison => {
  const [legs, rows] = [months(held), rowsOf(records)]
  return {
    name: "pairs of equal amounts within their window",
    amount: records.length,
    unit: "records",
    time: "processor",
    contenders: [
      contender(
        "transfer_match",
        () => pairsOfLegs(legs),
        (pairs) => pairs
      ),
      contender(
        "a map-and-window join",
        () => pairsInRows(rows),
        (pairs) => pairs
      )
    ],
    ratios: [
      {
        name: "transfer_match finding pairs against a map-and-window join",
        of: "transfer_match",
        by: "a map-and-window join"
      }
    ]
  }
}

/** By month and then by id, so that those of a month lie together, for everybody who is given them. */
const byMonth = (records: ReadonlyArray<SetRecord>): ReadonlyArray<SetRecord> =>
  [...Map.groupBy(records, ({ fields }) => String(fields["date"]).slice(0, 7))]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, some]) => some.toSorted((a, b) => (a.recordId < b.recordId ? -1 : 1)))

/** All contenders are given the same records, and each record is there once. */
export const transferComparisons = (count: number): ReadonlyArray<Comparison> => {
  const records = stored(byMonth(recordsOf(count)))
  const held = placedBy(transferMatch.partitions, config, records)
  return [candidates(records, held), whole(records, held)]
}

/** Microseconds of one thread's processor that the search for fees takes for a record. */
export const feeMicroseconds = (count: number): number => {
  const records = recordsOf(count)
  const all = Schema.decodeSync(FeesConfig)({})
  const held = partitionsOf(fees, all, records)
  const times = Array.from({ length: 3 }, () => {
    const before = process.threadCpuUsage()
    planAll(fees, all, records, held)
    const { system, user } = process.threadCpuUsage(before)
    return (system + user) / count
  })
  return times.toSorted((a, b) => a - b)[1]!
}
