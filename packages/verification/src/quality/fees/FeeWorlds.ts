/** Accounts for which it is known what the bank charged, and for what: habits, rates and texts are drawn for each. */
import type { SetAccount, SetRecord } from "@millrace/core/enrichment"
import { CalendarDate, Currency } from "@millrace/core"
import { Seeded, SetWorld } from "@millrace/testing/model"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { fees } from "../../../../core/src/enrichment/kinds/fees/fees.ts"
import { FeesConfig } from "../../../../core/src/enrichment/kinds/fees/FeesConfig.ts"
import { type Scene, sizeOf } from "../identity/Scene.ts"

const euro = Currency.make("EUR")
const first = CalendarDate.make("2025-01-01")
const days = 365

const account: SetAccount = {
  accountId: "acct_00000000000000000000000001" as SetAccount["accountId"],
  bankId: "bank_00000000000000000000000001" as SetAccount["bankId"],
  bankName: "Northern Bank",
  accountName: "Everyday",
  accountNumber: "****4711",
  accountType: "checking",
  currency: euro
}

/** Texts of one language: of each kind of fee, and of what it is charged for. */
interface Texts {
  readonly locale: string
  readonly fx: ReadonlyArray<string>
  readonly atm: ReadonlyArray<string>
  readonly wire: ReadonlyArray<string>
  readonly maintenance: ReadonlyArray<string>
  readonly late: ReadonlyArray<string>
  readonly interest: ReadonlyArray<string>
  readonly cash: string
  readonly sent: string
  /** What stands in no list. */
  readonly unusual: string
  /** What sounds like a fee and is none. */
  readonly decoys: ReadonlyArray<string>
}

const languages: ReadonlyArray<Texts> = [
  {
    locale: "en",
    fx: ["FOREIGN TRANSACTION FEE", "INTL TRANSACTION FEE", "CURRENCY CONVERSION FEE"],
    atm: ["ATM FEE", "NON NETWORK ATM FEE", "CASH WITHDRAWAL FEE"],
    wire: ["OUTGOING WIRE FEE", "WIRE TRANSFER FEE"],
    maintenance: ["MONTHLY SERVICE CHARGE", "MONTHLY MAINTENANCE FEE", "ACCOUNT FEE"],
    late: ["LATE PAYMENT FEE", "LATE FEE"],
    interest: ["INTEREST CHARGE", "OVERDRAFT INTEREST"],
    cash: "ATM WITHDRAWAL 0471",
    sent: "OUTGOING WIRE 99120",
    unusual: "FEE FOR CARD USE",
    decoys: ["SCHOOL FEE", "GYM FEE", "PARKING FEE CITY", "CHARGE POINT NORTH", "FREIGHT CHARGE ACME", "COURSE FEE"]
  },
  {
    locale: "de",
    fx: ["AUSLANDSEINSATZENTGELT", "FREMDWÄHRUNGSENTGELT", "GEBÜHR FREMDWÄHRUNG"],
    atm: ["ENTGELT BARGELDAUSZAHLUNG", "GELDAUTOMATENGEBÜHR"],
    wire: ["ENTGELT AUSLANDSÜBERWEISUNG", "ÜBERWEISUNGSGEBÜHR"],
    maintenance: ["KONTOFÜHRUNGSGEBÜHR", "KONTOFÜHRUNGSENTGELT", "KARTENGEBÜHR"],
    late: ["MAHNGEBÜHR", "VERZUGSGEBÜHR"],
    interest: ["SOLLZINSEN", "DISPOZINSEN"],
    cash: "BARGELDAUSZAHLUNG GA 4711",
    sent: "AUSLANDSÜBERWEISUNG ACME",
    unusual: "GEBÜHR KARTENEINSATZ",
    decoys: ["KURSGEBÜHR YOGA", "SCHULGEBÜHREN", "PARKGEBÜHREN STADT", "RUNDFUNKGEBÜHR", "MÜLLGEBÜHREN"]
  },
  {
    locale: "fr",
    fx: ["COMMISSION DE CHANGE", "FRAIS PAIEMENT ETRANGER"],
    atm: ["FRAIS DE RETRAIT", "COMMISSION RETRAIT"],
    wire: ["FRAIS DE VIREMENT", "FRAIS VIREMENT INTERNATIONAL"],
    maintenance: ["FRAIS DE TENUE DE COMPTE", "COTISATION CARTE"],
    late: ["PENALITE DE RETARD", "FRAIS DE RETARD"],
    interest: ["AGIOS", "INTÉRÊTS DÉBITEURS"],
    cash: "RETRAIT DAB PARIS",
    sent: "VIREMENT INTERNATIONAL ACME",
    unusual: "FRAIS UTILISATION CARTE",
    decoys: ["FRAIS DE SCOLARITE", "FRAIS DE LIVRAISON", "COTISATION MUTUELLE", "FRAIS MEDICAUX"]
  },
  {
    locale: "es",
    fx: ["COMISION CAMBIO DIVISA", "COMISION COMPRA EXTRANJERO"],
    atm: ["COMISION CAJERO", "COMISION RETIRADA EFECTIVO"],
    wire: ["COMISION TRANSFERENCIA", "GASTOS TRANSFERENCIA"],
    maintenance: ["COMISION MANTENIMIENTO", "CUOTA TARJETA"],
    late: ["COMISION POR MORA", "RECARGO POR DEMORA"],
    interest: ["INTERESES DEUDORES", "INTERESES DE DEMORA"],
    cash: "RETIRADA CAJERO MADRID",
    sent: "TRANSFERENCIA INTERNACIONAL ACME",
    unusual: "COMISION USO TARJETA",
    decoys: ["GASTOS DE ENVIO", "GASTOS COMUNIDAD", "MATRICULA CURSO", "GASTOS ESCOLARES"]
  }
]

interface Made {
  readonly records: ReadonlyArray<SetRecord>
  readonly kinds: ReadonlyMap<string, string>
  readonly causes: ReadonlyMap<string, string>
  readonly locale: string
}

const adornments = ["REF 99120471", "CARD 4711", "NORTHERN BANK", "03/26", "VISA DEBIT", "EUR 0471"]
const shares = [100, 150, 200, 250, 275, 300, 350] as const
const shops = ["BLUE HERON CAFE", "METRO MARKET", "CITY BOOKS", "NORTH FUEL", "BISTRO LUNE", "HOTEL PLAZA"]

const made = (random: Seeded): Made => {
  const texts = random.pick(languages)
  const records: Array<SetRecord> = []
  const kinds = new Map<string, string>()
  const causes = new Map<string, string>()
  const labelled = random.below(101)
  const [unusual, adorned] = [random.below(5), random.below(20)]
  const decoyEvery = 5 + random.below(20)
  const lag = random.below(3)
  const add = (day: number, cents: number, description: string, more: SetRecord["fields"] = {}): string => {
    const recordId = `r${String(records.length).padStart(5, "0")}`
    const sign = cents < 0 ? "-" : ""
    const units = String(Math.abs(cents)).padStart(3, "0")
    const amount = `${sign}${units.slice(0, -2)}.${units.slice(-2)}`.replace(/\.?0+$/, "")
    const date = CalendarDate.addDays(first, Math.min(days, Math.max(0, day)))
    records.push({
      recordId,
      accountId: account.accountId,
      fields: { date, amount, currency: euro, description, ...more }
    })
    return recordId
  }
  const charge = (kind: string, day: number, cents: number, all: ReadonlyArray<string>, cause?: string): void => {
    // Some banks say of every fee that it is one, some of none.
    const plain = random.below(100) < unusual ? texts.unusual : random.pick(all)
    const text = random.below(100) < adorned ? `${plain} ${random.pick(adornments)}` : plain
    const id = add(day, -cents, text, random.below(100) < labelled ? { category: "BANK_FEES" } : {})
    kinds.set(id, kind)
    if (cause !== undefined) causes.set(id, cause)
  }
  const share = random.pick(shares)
  const [atmFee, wireFee, monthly] = [
    150 + 50 * random.below(12),
    1_000 + 500 * random.below(6),
    290 + 100 * random.below(9)
  ]
  for (let day = 0; day < days - 5; day++) {
    for (let n = random.below(4); n > 0; n--) add(day, -300 - random.below(9_000), random.pick(shops))
    if (random.once(decoyEvery)) add(day, -1_500 - random.below(20_000), random.pick(texts.decoys))
    if (random.once(9)) {
      const cents = 1_000 + random.below(40_000)
      const cause = add(day, -cents, `${random.pick(shops)} USD`)
      charge("fx", day + random.below(lag + 1), Math.round((cents * share) / 10_000), texts.fx, cause)
    }
    if (random.once(14)) {
      const cause = add(day, -2_000 * (1 + random.below(10)), texts.cash)
      if (random.once(2)) charge("atm", day + random.below(lag + 1), atmFee, texts.atm, cause)
    }
    if (random.once(40)) {
      const cause = add(day, -50_000 - random.below(300_000), texts.sent)
      charge("wire", day + random.below(lag + 1), wireFee, texts.wire, cause)
    }
    if (day % 30 === 4) charge("maintenance", day, monthly, texts.maintenance)
    if (random.once(90)) charge("late", day, 1_500 + 500 * random.below(4), texts.late)
    if (random.once(60)) charge("interest", day, 100 + random.below(2_000), texts.interest)
    if (day % 30 === 27) add(day, 210_000, "SALARY ACME")
    if (random.once(60)) add(day, 100 + random.below(900), "INTEREST PAID")
  }
  return { records, kinds, causes, locale: texts.locale }
}

const ratio = (part: number, whole: number): number => (whole === 0 ? 1 : part / whole)

export const feeWorlds: Scene = {
  name: "fees",
  title:
    "banks in four languages charge for purchases abroad, cash, wires and much else, beside what only sounds like it",
  play: (effort) =>
    Effect.gen(function* () {
      const worlds = sizeOf(effort, { small: 4, quick: 30, full: 200 })
      const tally = { truth: 0, found: 0, right: 0, kind: 0, caused: 0, linked: 0, cause: 0 }
      for (let n = 0; n < worlds; n++) {
        const { causes, kinds, locale, records } = made(new Seeded((effort.drawn ?? effort.seed) * 2_003 + n))
        const world = new SetWorld({
          kind: fees,
          config: Schema.decodeUnknownSync(FeesConfig)({ locales: [locale] }),
          dataType: "transactions",
          accounts: [account],
          baseCurrency: euro,
          today: CalendarDate.addDays(first, days)
        })
        world.put(...records)
        yield* world.plan()
        tally.truth += kinds.size
        tally.caused += causes.size
        for (const { field, recordId, value } of world.said.flatMap(([, { claims }]) => claims)) {
          if (field === "fee.isFee") {
            tally.found++
            if (kinds.has(recordId)) tally.right++
          } else if (field === "fee.kind" && kinds.get(recordId) === value) tally.kind++
          else if (field === "fee.causeRecordId") {
            tally.linked++
            if (causes.get(recordId) === value) tally.cause++
          }
        }
      }
      return [
        { name: "fees", value: tally.truth },
        { name: "found that are fees, %", value: 100 * ratio(tally.right, tally.found), goal: { min: 98 } },
        { name: "fees that are found, %", value: 100 * ratio(tally.right, tally.truth), goal: { min: 95 } },
        { name: "of these with the right kind, %", value: 100 * ratio(tally.kind, tally.right) },
        { name: "causes that are right, %", value: 100 * ratio(tally.cause, tally.linked), goal: { min: 95 } },
        { name: "causes that are found, %", value: 100 * ratio(tally.cause, tally.caused) }
      ]
    }).pipe(Effect.orDie)
}
