/** CSV files as banks might write them, with the truth that they are about: everything follows from the seed. */
import { CalendarDate } from "@millrace/core"
import { randomFrom } from "./reading.ts"

interface Movement {
  readonly date: CalendarDate.CalendarDate
  readonly cents: number
  readonly description: string
  readonly payee: string
  readonly account: string
}

interface Words {
  readonly language: string
  readonly date: string
  readonly amount: string
  readonly debit: string
  readonly credit: string
  readonly sign: string
  readonly sides: readonly [out: string, into: string]
  readonly description: string
  readonly payee: string
  readonly balance: string
  readonly iban: string
  readonly own: string
  readonly footer: string
  readonly comma: boolean
  readonly currency: string
}

const words: ReadonlyArray<Words> = [
  {
    language: "English",
    date: "Booking Date",
    amount: "Amount",
    debit: "Debit",
    credit: "Credit",
    sign: "Debit/Credit",
    sides: ["Debit", "Credit"],
    description: "Description",
    payee: "Payee",
    balance: "Balance",
    iban: "IBAN",
    own: "Account Number",
    footer: "Total",
    comma: false,
    currency: "USD"
  },
  {
    language: "German",
    date: "Buchungstag",
    amount: "Betrag",
    debit: "Soll",
    credit: "Haben",
    sign: "Soll/Haben",
    sides: ["S", "H"],
    description: "Verwendungszweck",
    payee: "Empfänger",
    balance: "Saldo",
    iban: "Kontonummer",
    own: "Kontonummer",
    footer: "Summe",
    comma: true,
    currency: "EUR"
  },
  {
    language: "French",
    date: "Date opération",
    amount: "Montant",
    debit: "Débit",
    credit: "Crédit",
    sign: "Sens",
    sides: ["D", "C"],
    description: "Libellé",
    payee: "Bénéficiaire",
    balance: "Solde",
    iban: "IBAN",
    own: "Numéro de compte",
    footer: "Total",
    comma: true,
    currency: "EUR"
  },
  {
    language: "Spanish",
    date: "Fecha operación",
    amount: "Importe",
    debit: "Cargo",
    credit: "Abono",
    sign: "Débito/Crédito",
    sides: ["Cargo", "Abono"],
    description: "Concepto",
    payee: "Beneficiario",
    balance: "Saldo",
    iban: "IBAN",
    own: "Cuenta",
    footer: "Total",
    comma: true,
    currency: "EUR"
  },
  {
    language: "Italian",
    date: "Data contabile",
    amount: "Importo",
    debit: "Dare",
    credit: "Avere",
    sign: "Segno",
    sides: ["Dare", "Avere"],
    description: "Causale",
    payee: "Beneficiario",
    balance: "Saldo",
    iban: "IBAN",
    own: "Conto",
    footer: "Totale",
    comma: true,
    currency: "EUR"
  },
  {
    language: "Dutch",
    date: "datum verrichting",
    amount: "bedrag",
    debit: "af",
    credit: "bij",
    sign: "Af Bij",
    sides: ["Af", "Bij"],
    description: "omschrijving",
    payee: "tegenpartij",
    balance: "saldo",
    iban: "IBAN",
    own: "Rekeningnummer",
    footer: "Totaal",
    comma: true,
    currency: "EUR"
  },
  {
    language: "Polish",
    date: "Data operacji",
    amount: "Kwota",
    debit: "Obciążenia",
    credit: "Uznania",
    sign: "Debit/Credit",
    sides: ["D", "C"],
    description: "Opis operacji",
    payee: "Kontrahent",
    balance: "Saldo po operacji",
    iban: "IBAN",
    own: "Numer rachunku",
    footer: "Suma",
    comma: true,
    currency: "PLN"
  },
  {
    language: "no language that is known",
    date: "Qx",
    amount: "Ww",
    debit: "Out",
    credit: "In",
    sign: "Zz",
    sides: ["debit", "credit"],
    description: "Yy",
    payee: "Merchant",
    balance: "Vv",
    iban: "IBAN",
    own: "Account",
    footer: "Total",
    comma: false,
    currency: "USD"
  }
]

const conventions = [
  "signed",
  "pair",
  "pair with a minus in the debits",
  "words",
  "balance alone",
  "turned round, with a balance",
  "turned round, with words"
] as const

const shops = ["Alpha Store", "Beta Market", "Gamma Foods", "Delta Books", "Epsilon Rail", "Zeta Cafe"]
const texts = ["order", "weekly basket", "ticket", "monthly bill", "lunch", "spare parts"]
const ownIban = "DE89370400440532013000"
const otherIbans = [
  "DE12500105170648489890",
  "DE02120300000000202051",
  "FR1420041010050500013M02606",
  "NL91ABNA0417164300",
  "GB82WEST12345698765432",
  "CH9300762011623852957"
]

const dateForms: ReadonlyArray<(year: string, month: string, day: string) => string> = [
  (y, m, d) => `${y}-${m}-${d}`,
  (y, m, d) => `${d}.${m}.${y}`,
  (y, m, d) => `${d}/${m}/${y}`,
  (y, m, d) => `${m}/${d}/${y}`,
  (y, m, d) => `${y}.${m}.${d}.`,
  (y, m, d) => `${y}${m}${d}`,
  (y, m, d) => `${m}/${d}/${y} as of ${m}/${d}/${y}`,
  (y, m, d) => `${d}-${m}-${y} 10:11`
]

export interface CsvFile {
  readonly text: string
  readonly movements: ReadonlyArray<Movement>
  readonly currency: string
  /** The workspace's currency. */
  readonly base: string
  /** Number of the holder's account, `""` when the file does not name it. */
  readonly own: string
  /** What the file is made of, for reports. */
  readonly story: string
}

export const writeCsv = (seed: number): CsvFile => {
  const random = randomFrom(seed)
  const pick = <A>(list: ReadonlyArray<A>): A => list[Math.floor(random() * list.length)]!
  const once = (times: number): boolean => random() * times < 1
  const word = pick(words)
  const delimiter = pick([",", ";", "\t", "|"])
  const comma = word.comma ? !once(5) : once(5)
  const group = pick(comma ? ["", ".", " "] : ["", ",", "'"])
  const convention = pick(conventions)
  const dateForm = pick(dateForms)
  const falling = once(2)
  const count = 2 + Math.floor(random() * 12)
  const opening = 100_000 + Math.floor(random() * 1_000_000)
  const movements: Array<Movement> = []
  let day = CalendarDate.addDays(CalendarDate.make("2023-01-01"), Math.floor(random() * 300))
  for (let at = 0; at < count; at++) {
    day = CalendarDate.addDays(day, Math.floor(random() * 4))
    const shop = Math.floor(random() * shops.length)
    movements.push({
      date: day,
      cents: (once(3) ? 1 : -1) * (101 + Math.floor(random() * 90_000)),
      description: `${pick(texts)} ${at}`,
      payee: shops[shop]!,
      account: otherIbans[shop]!
    })
  }
  const balances: Array<number> = []
  let balance = opening
  for (const { cents } of movements) balances.push((balance += cents))

  const number = (cents: number): string => {
    const digits = Math.abs(cents).toString().padStart(3, "0")
    const whole = digits.slice(0, -2).replace(/\B(?=(?:\d{3})+$)/g, group)
    return `${cents < 0 ? "-" : ""}${whole}${comma ? "," : "."}${digits.slice(-2)}`
  }
  const plain = (cents: number) => number(Math.abs(cents))

  const hasBalance = convention === "balance alone" || convention === "turned round, with a balance" || once(2)
  const hasPayee = once(2)
  const hasAccount = hasPayee && once(2)
  const ownColumn = once(4)
  const preamble = once(2)
  const unit = word.language !== "no language that is known" && once(3)
  const currencyColumn = !unit && once(3)

  type Column = readonly [name: string, cell: (movement: Movement, at: number) => string]
  const pair = convention.startsWith("pair")
  const turned = convention.startsWith("turned")
  const amountName = unit ? `${word.amount} (${word.currency})` : word.amount
  const amountColumns: ReadonlyArray<Column> = pair
    ? [
        [word.debit, ({ cents }) => (cents < 0 ? `${convention === "pair" ? "" : "-"}${plain(cents)}` : "")],
        [word.credit, ({ cents }) => (cents < 0 ? "" : plain(cents))]
      ]
    : [
        [amountName, ({ cents }) => (convention === "signed" ? number(cents) : turned ? number(-cents) : plain(cents))],
        ...(convention === "words" || convention === "turned round, with words"
          ? [[word.sign, ({ cents }: Movement) => word.sides[cents < 0 ? 0 : 1]] as const]
          : [])
      ]
  const columns: Array<Column> = [
    [
      word.date,
      ({ date }) => {
        const [y = "", m = "", d = ""] = date.split("-")
        return dateForm(y, m, d)
      }
    ],
    [word.description, ({ description }) => description],
    ...amountColumns
  ]
  // Names, and the accounts that go with them, stand side by side.
  if (hasPayee) {
    const at = 1 + Math.floor(random() * 2)
    columns.splice(at, 0, [word.payee, ({ payee }) => payee])
    if (hasAccount) columns.splice(at + 1, 0, [word.iban, ({ account }) => account])
  }
  if (hasBalance) columns.push([word.balance, (_, at) => number(balances[at]!)])
  if (currencyColumn) columns.push(["Currency", () => word.currency])
  if (ownColumn && (!hasAccount || word.own !== word.iban)) columns.unshift([word.own, () => ownIban])
  if (once(3)) columns.push([pick(["Xyz", "Branch", "Ref"]), () => pick(["A", "B"])])

  const quote = (cell: string) =>
    cell.includes(delimiter) || cell.includes('"') || once(6) ? `"${cell.replaceAll('"', '""')}"` : cell
  const line = (cells: ReadonlyArray<string>) => cells.map(quote).join(delimiter)
  const order = falling ? movements.map((_, at) => at).toReversed() : movements.map((_, at) => at)
  const lines = [
    ...(preamble ? [line(["Statement"]), line([`${word.own}:`, ownIban]), ""] : []),
    line(columns.map(([name]) => name)),
    ...order.map((at) => line(columns.map(([, cell]) => cell(movements[at]!, at)))),
    ...(once(3) ? [line(["", word.footer, "", ""])] : []),
    ...(once(4) ? ["End of file"] : [])
  ]
  return {
    text: `${lines.join(pick(["\n", "\r\n"]))}\n`,
    movements: order.map((at) => movements[at]!),
    currency: word.currency,
    base: pick(["USD", "EUR", "CHF"]),
    own: preamble || (ownColumn && (!hasAccount || word.own !== word.iban)) ? ownIban : "",
    story: `seed ${seed}: ${word.language}, ${convention}, ${JSON.stringify(delimiter)}`
  }
}
