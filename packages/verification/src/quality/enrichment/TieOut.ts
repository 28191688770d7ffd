/** Balances that do not follow from the transactions: is the record that is missing, or there twice, named first? */
import { CalendarDate, Decimal, StrictDecoding, Timestamp } from "@millrace/core"
import { bundledKinds, type SetKind, type SetRecord } from "@millrace/core/enrichment"
import { provenPatterns } from "@millrace/core/pattern"
import { everydayAccount } from "@millrace/testing/fixture"
import { Seeded, SetWorld } from "@millrace/testing/model"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { percent } from "../identity/World.ts"
import { type Scene, sizeOf } from "../identity/Scene.ts"

const account = everydayAccount

const isSet = (kind: ReturnType<typeof bundledKinds>[number]): kind is SetKind =>
  kind.family === "set" && kind.type === "monitor"

export const monitorKind: SetKind = bundledKinds({ patterns: provenPatterns, sha256: (text) => text }).find(isSet)!

const first = CalendarDate.make("2026-01-05")
const days = 28

interface Row {
  readonly id: string
  readonly day: number
  readonly cents: number
  readonly text: string
}

const shops = ["GROCER", "CAFE", "PHARMACY", "BAKERY", "FUEL", "BOOKS"]

/** Some of the amounts come again and again, as fares and coffees do. */
const rowsOf = (random: Seeded): ReadonlyArray<Row> => {
  const common = random.list(2, 5, () => -(100 + random.below(900)))
  const perDay = 1 + random.below(4)
  return Array.from({ length: days * perDay }, (_, at) => ({
    id: `r${String(at).padStart(4, "0")}`,
    day: Math.floor(at / perDay),
    cents: random.once(4)
      ? random.pick(common)
      : random.once(25)
        ? 100_000 + random.below(200_000)
        : -(200 + random.below(15_000)),
    text: `${random.pick(shops)} ${random.below(40)}`
  }))
}

const decimalOf = (cents: number): Decimal.Decimal => Decimal.fromUnits(BigInt(cents), 2)

const recordOf = ({ cents, day, id, text }: Row, more: SetRecord["fields"] = {}): SetRecord => ({
  recordId: id,
  accountId: account.accountId,
  fields: {
    date: CalendarDate.addDays(first, day),
    amount: decimalOf(cents),
    currency: "EUR",
    description: text,
    pending: false,
    ...more
  }
})

/** A month in which balances come every day or every few days; one record is gone, or is there twice. */
const play = Effect.fnUntraced(function* (kind: SetKind, random: Seeded, sort: "omitted" | "doubled" | "none") {
  const checks = [{ kind: "tieOut", key: "books", persistHours: 0 }]
  const world = new SetWorld({
    kind,
    config: Result.getOrThrow(StrictDecoding.decode(kind.Config, { checks })),
    dataType: "transactions",
    accounts: [account],
    baseCurrency: account.currency,
    today: first
  })
  const rows = rowsOf(random)
  const wrong = random.pick(rows.filter(({ day }) => day > 6 && day < 16))
  const every = 1 + random.below(4)
  // The bank may book what it shows a day later.
  const lag = random.once(3) ? 1 : 0
  let found: ReadonlyArray<unknown> | undefined
  for (let day = 0; day < days; day++) {
    for (const row of rows.filter((one) => one.day === day)) {
      world.put(recordOf(row, sort === "omitted" && row === wrong ? { removed: true } : {}))
      if (sort === "doubled" && row === wrong) world.put(recordOf({ ...row, id: `${row.id}x` }))
      if (random.once(8))
        world.put(recordOf({ ...row, id: `p${row.id}`, cents: -(100 + random.below(5_000)) }, { pending: true }))
    }
    // Pending rows of some days before are gone.
    for (const row of rows.filter((one) => one.day === day - 3)) world.remove(`p${row.id}`)
    if (day % every !== 0) continue
    const cents = rows.filter((row) => row.day <= day - lag).reduce((sum, row) => sum + row.cents, 500_000)
    const today = CalendarDate.addDays(first, day)
    world.today = today
    world.at = Timestamp.make(`${today}T20:00:00.000Z`)
    world.accounts = [{ ...account, status: { balance: decimalOf(cents), balanceAsOf: world.at } }]
    world.pulse()
    yield* world.plan()
    const cases = world.said.flatMap(([, { findings = [] }]) => findings)
    // The case as it is reported first; where nothing is wrong, any is one too many.
    found ??= cases.length === 0 ? undefined : (cases[0]!.data["explanations"] as ReadonlyArray<unknown>)
  }
  const named = (found?.[0] as { readonly recordIds: ReadonlyArray<string> } | undefined)?.recordIds ?? []
  return { noticed: found !== undefined, named: named.some((id) => id === wrong.id || id === `${wrong.id}x`) }
})

export const tieOut: Scene = {
  name: "tie-out",
  title: "a record of a month is gone, or is there twice: balances tell, and the monitor names it",
  play: (effort) =>
    Effect.gen(function* () {
      const months = sizeOf(effort, { small: 6, quick: 60, full: 400 })
      const random = new Seeded(effort.seed)
      const share = Effect.fnUntraced(function* (sort: "omitted" | "doubled" | "none") {
        let noticed = 0
        let named = 0
        for (let month = 0; month < months; month++) {
          const result = yield* play(monitorKind, random, sort)
          if (result.noticed) noticed++
          if (result.named) named++
        }
        return { noticed: percent(noticed, months), named: percent(named, months) }
      })
      const omitted = yield* share("omitted")
      const doubled = yield* share("doubled")
      const none = yield* share("none")
      return [
        { name: "omissions named first, %", value: omitted.named, goal: { min: 90 } },
        { name: "duplicates named first, %", value: doubled.named, goal: { min: 90 } },
        { name: "months without a fault that get a case, %", value: none.noticed, goal: { max: 2 } }
      ]
    }).pipe(Effect.orDie)
}
