/** Whether amounts of CSV files are money of the account, and on which side: each class drawn in many forms. */
import { Decimal } from "@millrace/core"
import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import { faultOf, randomFrom, read, statementOf } from "./reading.ts"

const rounds = process.env["MILLRACE_LONG"] === "1" ? 2_000 : 120

interface Random {
  readonly below: (size: number) => number
  readonly pick: <A>(values: ReadonlyArray<A>) => A
  readonly shuffled: <A>(values: ReadonlyArray<A>) => ReadonlyArray<A>
}

const seeded = (seed: number): Random => {
  const next = randomFrom(seed)
  const below = (size: number) => Math.floor(next() * size)
  return {
    below,
    pick: (values) => values[below(values.length)]!,
    shuffled: (values) => {
      const left = [...values]
      return values.map(() => left.splice(below(left.length), 1)[0]!)
    }
  }
}

const forSeeds = (visit: (random: Random, seed: number) => void): void => {
  for (let seed = 1; seed <= rounds; seed++) visit(seeded(seed), seed)
}

const money = (cents: number): string => (cents / 100).toFixed(2)
const canonical = (cents: number): string => Decimal.fromUnits(BigInt(cents), 2)
const day = (at: number): string => `2024-01-${String(at + 1).padStart(2, "0")}`

/** Amounts of which none is zero and both sides occur. */
const drawnCents = (random: Random, least = 2): ReadonlyArray<number> => [
  -(100 + random.below(50_000)),
  100 + random.below(90_000),
  ...Array.from(
    { length: least - 2 + random.below(6) },
    () => (random.below(2) === 0 ? -1 : 1) * (100 + random.below(40_000))
  )
]

/** A table whose columns stand in the given order. */
const table = (columns: ReadonlyArray<readonly [name: string, cells: ReadonlyArray<string>]>): string =>
  [columns.map(([name]) => name), ...columns[0]![1].map((_, row) => columns.map(([, cells]) => cells[row]!))]
    .map((cells) => cells.map((cell) => `"${cell}"`).join(",") + "\n")
    .join("")

const amountsOf = (...input: Parameters<typeof statementOf>): ReadonlyArray<string> =>
  statementOf(...input).accounts.flatMap((account) => account.rows.map((row) => row.amount))

const texts = ["alpha store", "beta market", "gamma foods", "delta books", "epsilon rail", "zeta cafe"]

const statedWords: ReadonlyArray<readonly [opening: string, turnover: string, closing: string]> = [
  ["Likutis pradžiai", "Apyvarta", "Likutis pabaigai"],
  ["Algsaldo", "Käive", "lõppsaldo"],
  ["Sākuma atlikums", "Apgrozījums", "Beigu atlikums"],
  ["Opening balance", "Turnover", "Closing balance"],
  ["Anfangssaldo", "Summe Umsätze", "Endsaldo"],
  ["Solde initial", "Total des mouvements", "Solde final"],
  ["Saldo inicial", "Total cargos", "Saldo final"],
  ["Saldo iniziale", "Totale addebiti", "Saldo finale"],
  ["Beginsaldo", "Totaal af", "Eindsaldo"],
  ["Saldo początkowe", "Obroty", "Saldo końcowe"],
  ["Počáteční zůstatek", "Obrat", "Konečný zůstatek"],
  ["Nyitó egyenleg", "Forgalom", "Záró egyenleg"],
  ["Ingående saldo", "Omsättning", "Utgående saldo"],
  ["Входящий остаток", "Обороты", "Исходящий остаток"],
  ["Početno stanje", "Promet", "Završno stanje"]
]

const writeStated = (random: Random, names: readonly [string, string, string]) => {
  const cents = drawnCents(random, 4)
  const opening = 10_000 + random.below(900_000)
  const [out, into] = [cents.filter((each) => each < 0), cents.filter((each) => each > 0)].map((own) =>
    own.reduce((a, b) => a + b, 0)
  ) as [number, number]
  const lines: ReadonlyArray<readonly [text: string, cents: number, party: string]> = [
    [names[0], opening, ""],
    ...cents.map((own, at) => [texts[at % texts.length]!, own, `Party ${at}`] as const),
    ...(random.below(2) === 0
      ? ([
          [names[1], out, ""],
          [names[1], into, ""]
        ] as const)
      : []),
    [names[2], opening + out + into, ""]
  ]
  const isWorded = random.below(2) === 0
  const columns = random.shuffled([
    ["Date", lines.map((_, at) => day(at))],
    ["Description", lines.map(([text]) => text)],
    ["Amount", lines.map(([, own]) => money(isWorded ? Math.abs(own) : own))],
    ["Payee", lines.map(([, , party]) => party)],
    ...(isWorded ? ([["D/K", lines.map(([, own]) => (own < 0 ? "D" : "K"))]] as const) : [])
  ] as const)
  return { text: table(columns), cents, opening, closing: opening + out + into }
}

describe("lines that state balances and turnovers", () => {
  it.each([true, false])("are no movements, by their words or by what they come to (words known: %s)", (isTold) => {
    forSeeds((random) => {
      const names = isTold ? random.pick(statedWords) : (["Foo pra", "Bar mid", "Foo pab"] as const)
      const { cents, closing, opening, text } = writeStated(random, names)
      const { accounts } = statementOf(text)
      expect(
        accounts.flatMap(({ rows }) => rows.map(({ amount }) => amount)),
        text
      ).toEqual(cents.map(canonical))
      expect([accounts[0]!.openingBalance, accounts[0]!.closingBalance], text).toEqual([
        canonical(opening),
        canonical(closing)
      ])
    })
  })

  it("stay movements where their sums come out even by chance, or their words say more", () => {
    const even = table([
      ["Date", [day(0), day(1), day(2)]],
      ["Description", ["salary in", "a shop", "from a friend"]],
      ["Amount", ["100", "-40", "60"]]
    ])
    expect(amountsOf(even)).toEqual(["100", "-40", "60"])
    const said = table([
      ["Date", [day(0), day(1)]],
      ["Description", ["TOTAL fuel", "New Balance shoes"]],
      ["Amount", ["-40.10", "-89.00"]]
    ])
    expect(amountsOf(said)).toEqual(["-40.1", "-89"])
  })
})

const sideNames = [
  ["Amount", "Debit", "Credit"],
  ["Betrag", "Soll", "Haben"],
  ["Montant", "Débit", "Crédit"],
  ["Importe", "Cargo", "Abono"],
  ["Importo", "Dare", "Avere"]
] as const

const writeSides = (random: Random, amounts: ReadonlyArray<number>, sides: ReadonlyArray<number>): string => {
  const [amount, debit, credit] = random.pick(sideNames)
  return table(
    random.shuffled([
      ["Date", amounts.map((_, at) => day(at))],
      ["Text", amounts.map((_, at) => texts[at % texts.length]!)],
      [amount, amounts.map(money)],
      [debit, sides.map((side) => (side < 0 ? money(-side) : ""))],
      [credit, sides.map((side) => (side > 0 ? money(side) : ""))]
    ])
  )
}

describe("an amount column beside debit and credit", () => {
  it("is what is read where it is signed, whatever the sides say", () => {
    forSeeds((random) => {
      const cents = drawnCents(random)
      const text = writeSides(
        random,
        cents,
        random.pick([cents, cents.map((own) => -own), cents.map((own) => own * 2)])
      )
      expect(amountsOf(text), text).toEqual(cents.map(canonical))
    })
  })

  it("has the sides of the others where it has none of its own, and is refused where it is another amount", () => {
    forSeeds((random) => {
      const cents = drawnCents(random)
      const sizes = cents.map(Math.abs)
      expect(amountsOf(writeSides(random, sizes, cents))).toEqual(cents.map(canonical))
      const fault = faultOf(
        writeSides(
          random,
          sizes.map((size) => size + 1),
          cents
        )
      )
      expect(fault.message).toContain("hold amounts that disagree")
    })
  })
})

describe("signs", () => {
  it("are those of a column of flags, in whatever pair", () => {
    const flags = [
      ["D", "C"],
      ["D", "K"],
      ["S", "H"],
      ["W", "D"],
      ["O", "I"],
      ["DB", "CR"],
      ["DT", "KT"],
      ["-", "+"]
    ] as const
    forSeeds((random) => {
      const [out, into] = random.pick(flags)
      const cents = drawnCents(random)
      const text = table(
        random.shuffled([
          ["Date", cents.map((_, at) => day(at))],
          ["Details", cents.map((_, at) => texts[at % texts.length]!)],
          ["Amount", cents.map((own) => money(Math.abs(own)))],
          [random.pick(["Dir", "W/D", "Flow", "X"]), cents.map((own) => (own < 0 ? out : into))]
        ])
      )
      expect(amountsOf(text), text).toEqual(cents.map(canonical))
    })
  })

  it("of the balances count before flags that stand for something else", () => {
    forSeeds((random) => {
      const cents = drawnCents(random, 5)
      let balance = 1_000_000
      const text = table([
        ["Date", cents.map((_, at) => day(at))],
        ["Details", cents.map((_, at) => texts[at % texts.length]!)],
        ["Amount", cents.map((own) => money(Math.abs(own)))],
        ["Balance", cents.map((own) => money((balance += own)))],
        ["Branch", cents.map((_, at) => (at % 3 === 0 ? "S" : "H"))]
      ])
      const flagged = cents.map((_, at) => (at % 3 === 0 ? -1 : 1))
      const isSame =
        cents.every((own, at) => Math.sign(own) === flagged[at]) ||
        cents.every((own, at) => Math.sign(own) !== flagged[at])
      if (!isSame) expect(amountsOf(text).slice(1), text).toEqual(cents.slice(1).map(canonical))
    })
  })

  it("of Buy and Sell are those of the money", () => {
    forSeeds((random) => {
      const cents = drawnCents(random)
      const isSigned = random.below(2) === 0
      const text = table([
        ["Date", cents.map((_, at) => day(at))],
        ["Type", cents.map((own) => (own < 0 ? "Buy" : "Sell"))],
        ["Details", cents.map((_, at) => texts[at % texts.length]!)],
        ["Amount", cents.map((own) => money(isSigned ? own : Math.abs(own)))]
      ])
      expect(amountsOf(text), text).toEqual(cents.map(canonical))
    })
  })

  it("as printed are turned by no single row, and its doubt is told", () => {
    const leaving = ["ATM withdrawal", "by debit card SHOP A", "Lastschrift Strom", "Retrait DAB", "Compra tarjeta"]
    forSeeds((random) => {
      const cents = [...drawnCents(random, 4).slice(1).map(Math.abs), -(100 + random.below(5_000))]
      const odd = random.below(cents.length - 1)
      const text = table(
        random.shuffled([
          ["Date", cents.map((_, at) => day(at))],
          ["Description", cents.map((_, at) => (at === odd ? random.pick(leaving) : `posting ${at}`))],
          ["Amount", cents.map(money)]
        ])
      )
      const statement = statementOf(text)
      expect(amountsOf(text), text).toEqual(cents.map(canonical))
      expect(statement.warnings.join("\n"), text).toMatch(/line \d+: .*sourceConfig\.csv\.negate/)
    })
  })

  it("of cards with charges as positive numbers are turned or doubted, and never in silence", () => {
    const payments = [
      "Pagamento recebido",
      "PAYMENT - THANK YOU",
      "Payment received",
      "AUTOPAY 123",
      "Zahlung erhalten",
      "Pago recibido",
      "Paiement reçu"
    ]
    forSeeds((random) => {
      const cents = drawnCents(random, 5).map((own) => -Math.abs(own))
      const paid = random.below(cents.length)
      const truth = cents.map((own, at) => (at === paid ? -own : own))
      const payment = random.pick(payments)
      const text = table([
        ["Date", cents.map((_, at) => day(at))],
        ["Title", cents.map((_, at) => (at === paid ? payment : texts[at % texts.length]!))],
        ["Amount", truth.map((own) => money(-own))]
      ])
      expect(amountsOf(text), text).toEqual(truth.map(canonical))
      expect(statementOf(text).warnings.join("\n")).toContain("csv.negate")
    })
  })
})

describe("tables that are no statement", () => {
  it.each([
    [
      "lots",
      "Open Date,Quantity,Price,Cost/Share,Market Value,Cost Basis",
      "2020-08-24,10,$71.39,$71.35,$713.90,$713.50"
    ],
    ["positions in German", "Datum;ISIN;Bezeichnung;Stück;Kurs;Kurswert", "01.01.2024;DE0001;ACME AG;5;10,00;50,00"],
    ["positions in French", "Date;Code ISIN;Quantité;Cours;Valeur de marché", "01/01/2024;FR0001;5;10,00;50,00"],
    ["gains", "Date,Symbol,Shares,Average Cost,Current Value,Gain/Loss", "2024-01-01,ACME,5,10.00,55.00,5.00"]
  ])("list holdings: %s", (_, header, row) => {
    expect(faultOf(`${header}\n${row}\n${row}\n`).message).toContain("holdings")
  })

  it.each([
    [
      "sent and received",
      "Date,Sent Amount,Sent Currency,Received Amount,Received Currency,Label",
      "2018-01-01,1000,USD,1,BTC,buy"
    ],
    ["sold and bought", "Date,Buy Amount,Buy Currency,Sell Amount,Sell Currency", "2018-01-01,1,BTC,1000,USD"],
    ["from and to", "Date,From Amount,From Asset,To Amount,To Asset", "2018-01-01,1,BTC,1000,USD"]
  ])("exchange one asset for another: %s", (_, header, row) => {
    expect(faultOf(`${header}\n${row}\n`).message).toContain("exchanges one asset for another")
  })

  it("count coins, or sum up periods", () => {
    expect(faultOf("Date,Asset,Amount\n2024-01-01,BTC,0.5\n2024-01-02,ETH,1.5\n").message).toContain("coins")
    expect(faultOf("Month,Income,Expenses\n2024-01-01,100.00,50.00\n2024-02-01,90.00,70.00\n").message).toContain(
      "sums of a period"
    )
  })

  it("list accounts, or sums of categories", () => {
    const accounts =
      "Account Name,Account Number,Balance,As of Date\nChecking,1234567,100.00,2024-01-31\nSavings,7654321,9.00,2024-01-31\n"
    expect(faultOf(accounts).message).toContain("no column holds an amount")
    expect(faultOf("Category,Amount,Date\nFood,10.00,2024-01-31\nRent,90.00,2024-01-31\n").message).toContain(
      "the sum of a category"
    )
  })

  it("are read where the reader says which column moved", () => {
    expect(amountsOf("Date,Asset,Amount\n2024-01-01,BTC,0.5\n", { columns: { amount: "Amount" } })).toEqual(["0.5"])
  })

  it("are not those of a broker that say what each movement came to", () => {
    const text =
      "Date,Action,Symbol,Quantity,Price,Amount\n01/02/2024,Buy,ACME,5,$10.00,-$50.00\n01/03/2024,Sell,ACME,5,$11.00,$55.00\n"
    expect(amountsOf(text)).toEqual(["-50", "55"])
  })
})

describe("the own account", () => {
  it("is kept for each number, in whatever order of columns, also where a cell lost its quote", () => {
    forSeeds((random) => {
      const numbers = Array.from({ length: 1 + random.below(5) }, (_, at) => `1000${at}77`)
      const rows = Array.from({ length: numbers.length * 3 }, (_, at) => ({
        number: numbers[at % numbers.length]!,
        at
      }))
      const columns = random.shuffled([
        ["Date", rows.map(({ at }) => day(at))],
        ["Details", rows.map(({ at }) => `${texts[at % texts.length]!} ${at}`)],
        ["Amount", rows.map(({ at }) => money(-100 - at))]
      ] as const)
      const text = table([["Account Number", rows.map(({ number }) => number)], ...columns])
      const torn = random.below(2) === 0 ? text : text.replace(`"${numbers[0]}"`, `${numbers[0]}"`)
      const { accounts } = statementOf(torn)
      expect(accounts.map(({ number }) => number).toSorted(), torn).toEqual(numbers)
    })
  })
})

describe("rows without a text", () => {
  const days = [3, 4, 5]
  it.each([
    ["CSV", `Date,Description,Amount\n${days.map((at) => `2024-01-0${at},,-5.00\n`).join("")}`],
    ["CSV of two columns", `Date,Amount\n${days.map((at) => `2024-01-0${at},-5.00\n`).join("")}`],
    ["QIF", `!Type:Bank\n${days.map((at) => `D0${at}/01/2024\nT-5.00\n^\n`).join("")}`],
    [
      "OFX",
      `OFXHEADER:100\n\n<OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>EUR<BANKACCTFROM><BANKID>1<ACCTID>5551234<ACCTTYPE>CHECKING</BANKACCTFROM><BANKTRANLIST>${days
        .map((at) => `<STMTTRN><TRNTYPE>DEBIT<DTPOSTED>2024010${at}<TRNAMT>-5.00<FITID>F${at}</STMTTRN>`)
        .join("")}</BANKTRANLIST></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>`
    ],
    [
      "MT940",
      `:20:START\n:25:12345678/1234567890\n:28C:1/1\n:60F:C240101EUR100,00\n${days.map((at) => `:61:24010${at}010${at}D5,00NTRFNONREF\n`).join("")}:62F:C240131EUR85,00\n-\n`
    ],
    [
      "CAMT",
      `<?xml version="1.0"?><Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.02"><BkToCstmrStmt><Stmt><Id>1</Id><Acct><Id><Othr><Id>123</Id></Othr></Id><Ccy>EUR</Ccy></Acct>${days
        .map(
          (at) =>
            `<Ntry><Amt Ccy="EUR">5.00</Amt><CdtDbtInd>DBIT</CdtDbtInd><Sts>BOOK</Sts><BookgDt><Dt>2024-01-0${at}</Dt></BookgDt></Ntry>`
        )
        .join("")}</Stmt></BkToCstmrStmt></Document>`
    ]
  ])("are rows all the same: %s", (_, text) => {
    expect(amountsOf(text)).toEqual(["-5", "-5", "-5"])
    expect(Result.isSuccess(read(text)) && statementOf(text).refused).toBeUndefined()
  })

  it("of CSV have the only column that may be a text, whatever else it may mean", () => {
    const nordic =
      "Bokföringsdag;Belopp;Mottagare;Rubrik;Saldo\n2024/01/02;-5,00;;Shop;95,00\n2024/01/03;10,00;;Lön;105,00\n"
    expect(statementOf(nordic).accounts[0]!.rows.map(({ description }) => description)).toEqual(["Shop", "Lön"])
    const sides = "Date,Description,Amount\n2024-01-02,Deposit,5.00\n2024-01-03,Withdrawal,-6.00\n"
    expect(statementOf(sides).accounts[0]!.rows.map(({ description }) => description)).toEqual([
      "Deposit",
      "Withdrawal"
    ])
  })

  it("of CSV have their note, or the bank's word for their kind, in its place", () => {
    const text =
      "Date,Type,Description,Note,Amount\n2024-01-01,FEE,,for a card,-1.00\n2024-01-02,FEE,,,-2.00\n2024-01-03,CARD,Shop,x,-2.00\n"
    expect(statementOf(text).accounts[0]!.rows.map(({ description }) => description)).toEqual([
      "for a card",
      "FEE",
      "Shop"
    ])
  })
})
