import { NodeDigest } from "@millrace/adapters"
import { bundledDestinations, made } from "../../../adapters/src/destination/registry.ts"
import { destinationOf } from "../../src/destination/Destinations.ts"
import { Outbound } from "../../src/outbound/Outbound.ts"
import { Ids } from "../../src/shared/Ids.ts"
import { TableStore } from "../../src/table/TableStore.ts"
import { WorkspaceStore } from "../../src/workspace/WorkspaceStore.ts"
import * as Layer from "effect/Layer"
import type { Detail } from "../../src/failure/Failure.ts"
import { carriedPairs, FeedSources, pairFault } from "../../src/feed/FeedSources.ts"
import { allowsSchedule, checkAccounts, decodeBlocks, type Blocks } from "../../src/usecase/FeedValidation.ts"
import { fieldsOf, type DataType } from "../../src/record/DataType.ts"
import { planNames, plans } from "../../src/workspace/Plan.ts"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

const account = { bankId: `bank_${"0".repeat(26)}`, accountId: `acct_${"0".repeat(26)}` }
const sync = { type: "sync", accounts: [account] }
const daily = { enabled: true, frequency: "daily", timeOfDay: "06:00" }

const destinations = await Effect.runPromise(
  Effect.map(
    Effect.provide(made(bundledDestinations), [
      Ids.layer,
      NodeDigest.layer,
      Layer.mock(TableStore, {}),
      Layer.mock(WorkspaceStore, {}),
      Layer.mock(Outbound, {})
    ]),
    (drivers) => drivers.map(destinationOf)
  )
)

const decode = (blocks: Blocks, dataType: DataType = "transactions") => {
  const details: Array<Detail> = []
  const warnings: Array<string> = []
  const decoded = decodeBlocks("sync", dataType, blocks, undefined, destinations, details, warnings)
  return { decoded, warnings, fields: details.map(({ field }) => field) }
}

describe("decodeBlocks", () => {
  it.each([
    [{ sourceConfig: { type: "upload" } }, ["sourceConfig.type"]],
    [{ sourceConfig: { type: "sync", accounts: [] } }, ["sourceConfig.accounts"]],
    [{ sourceConfig: { type: "sync", accounts: [{ ...account, bankId: "x" }] } }, ["sourceConfig.accounts[0].bankId"]],
    [{ sourceConfig: { ...sync, extra: 1 } }, ["sourceConfig.extra"]],
    [{ destinationConfig: { type: "file", path: "../x.csv", format: "csv" } }, ["destinationConfig.path"]],
    [{ destinationConfig: { type: "file", path: "/etc/x.csv", format: "csv" } }, ["destinationConfig.path"]],
    [
      { destinationConfig: { type: "table", tableId: `tbl_${"0".repeat(26)}`, onRemoved: "burn" } },
      ["destinationConfig.onRemoved"]
    ],
    [{ fieldMappings: [{ sourceField: "Not A Field", destinationField: "A" }] }, ["fieldMappings[0].sourceField"]],
    [{ fieldMappings: [{ sourceField: "id", destinationField: "" }] }, ["fieldMappings[0].destinationField"]],
    [
      {
        fieldMappings: [
          { sourceField: "id", destinationField: "A" },
          { sourceField: "date", destinationField: "A" }
        ]
      },
      ["fieldMappings[1].destinationField"]
    ],
    [{ dataTypeOptions: { dataType: "trades" } }, ["dataTypeOptions.dataType"]],
    [
      { dataTypeOptions: { dataType: "transactions", pendingMode: "sync_all", lookbackDays: 91 } },
      ["dataTypeOptions.lookbackDays"]
    ],
    [{ schedule: { ...daily, timeOfDay: "24:00" } }, ["schedule.timeOfDay"]],
    [{ schedule: { ...daily, frequency: "weekly" } }, ["schedule.dayOfWeek"]],
    [{ schedule: { ...daily, frequency: "monthly" } }, ["schedule.dayOfMonth"]],
    [{ schedule: { ...daily, frequency: "monthly", dayOfMonth: 32 } }, ["schedule.dayOfMonth"]],
    [{ schedule: { ...daily, dayofweek: 1 } }, ["schedule.dayofweek"]],
    [{ schedule: { ...daily, timezone: "Europe/Nowhere" } }, ["schedule.timezone"]],
    [{ schedule: { ...daily, timezone: "+02:00" } }, ["schedule.timezone"]],
    [{ schedule: { ...daily, timezone: "" } }, ["schedule.timezone"]],
    [{ schedule: { ...daily, timezone: 2 } }, ["schedule.timezone"]]
  ] as const)("names what is wrong with %j", (blocks, fields) => {
    expect(decode(blocks).fields).toEqual(fields)
  })

  it.each([
    [{ delimiter: "ab" }, "delimiter"],
    [{ delimiter: '"' }, "delimiter"],
    [{ encoding: "latin-99" }, "encoding"],
    [{ decimal: "'" }, "decimal"],
    [{ dateFormat: "DD.MM" }, "dateFormat"],
    [{ headerLine: -1 }, "headerLine"],
    [{ columns: { dated: "When" } }, "columns"],
    [{ columns: { description: [] } }, "columns.description"],
    [{ negate: "yes" }, "negate"],
    [{ sideSigns: "maybe" }, "sideSigns"],
    [{ currency: "XXL" }, "currency"],
    [{ separator: ";" }, "separator"]
  ] as const)("names what is wrong with the CSV options %j", (csv, field) => {
    const details: Array<Detail> = []
    decodeBlocks(
      "upload",
      "transactions",
      { sourceConfig: { type: "upload", csv } },
      undefined,
      destinations,
      details,
      []
    )
    expect(details.map((detail) => detail.field)).toEqual([expect.stringContaining(`sourceConfig.csv.${field}`)])
  })

  it("takes every CSV option that is right", () => {
    const csv = {
      delimiter: "^",
      encoding: "iso-8859-2",
      decimal: ",",
      dateFormat: "D MMM YYYY",
      headerLine: 0,
      columns: { date: "1", description: ["2", "Text"], account: "" },
      negate: false,
      negateBalance: true,
      sideSigns: "keep",
      accountNumber: "1",
      currency: "DEM"
    }
    const details: Array<Detail> = []
    decodeBlocks(
      "upload",
      "transactions",
      { sourceConfig: { type: "upload", csv } },
      undefined,
      destinations,
      details,
      []
    )
    expect(details).toEqual([])
  })

  it("names all faults of all blocks at once", () => {
    const { fields } = decode({
      sourceConfig: { type: "sync", accounts: [{ bankId: "x", accountId: "y" }] },
      schedule: { enabled: "yes", frequency: "daily", timeOfDay: "6" },
      fieldMappings: [{ sourceField: "No", destinationField: "A" }]
    })
    expect(fields).toEqual([
      "sourceConfig.accounts[0].bankId",
      "sourceConfig.accounts[0].accountId",
      "fieldMappings[0].sourceField",
      "schedule.enabled",
      "schedule.timeOfDay"
    ])
  })

  it("takes fields that enrichments add, and the mark of removed rows", () => {
    const fieldMappings = [
      { sourceField: "removed", destinationField: "Gone" },
      { sourceField: "cost_centre", destinationField: "Centre" }
    ]
    expect(decode({ fieldMappings }).fields).toEqual([])
  })

  it("writes every field under its label when nothing is mapped, and says so", () => {
    for (const dataType of Object.keys(fieldsOf) as Array<DataType>) {
      const { decoded, fields, warnings } = decode({ sourceConfig: sync }, dataType)
      expect(fields).toEqual([])
      const shown = Object.values(fieldsOf[dataType]).filter(({ item }) => item !== true)
      expect(decoded.fieldMappings).toHaveLength(shown.length)
      expect(new Set(decoded.fieldMappings.map((one) => one.destinationField)).size).toBe(decoded.fieldMappings.length)
      expect([decoded.mappingsDefaulted, decoded.dataTypeOptions.dataType, warnings.length]).toEqual([
        true,
        dataType,
        2
      ])
    }
  })

  const extraction = {
    extractionFields: [{ key: "vat_rate", name: "VAT", type: "number", isItemField: true }],
    itemizePerRow: true
  }
  const itemName = [{ sourceField: "itemName", destinationField: "What" }]

  it("takes what documents are to be read for, and the fields that follow", () => {
    const { decoded, fields } = decode({ extractionConfig: extraction }, "invoices")
    expect(fields).toEqual([])
    expect(decoded.extractionConfig).toEqual(extraction)
    expect(decoded.fieldMappings.map(({ sourceField }) => sourceField)).toEqual(
      expect.arrayContaining(["invoiceNumber", "itemAmount", "vat_rate"])
    )
    expect(decode({ extractionConfig: extraction, fieldMappings: itemName }, "receipts").fields).toEqual([])
  })

  it("names what is wrong with it", () => {
    const faults = (change: object, dataType: DataType = "receipts") =>
      decode({ extractionConfig: { ...extraction, ...change } }, dataType).fields
    const field = extraction.extractionFields[0]!
    expect(faults({ extractionFields: [] })).toEqual(["extractionConfig.extractionFields"])
    expect(faults({ extractionFields: [{ ...field, key: "VatRate" }] })).toEqual([
      "extractionConfig.extractionFields[0].key"
    ])
    expect(faults({ extractionFields: [field, field] })).toEqual(["extractionConfig.extractionFields[1].key"])
    expect(faults({ extractionFields: [{ ...field, key: "currency" }] })).toEqual([
      "extractionConfig.extractionFields[0].key"
    ])
    expect(faults({ extractionFields: [{ ...field, name: " " }] })).toEqual([
      "extractionConfig.extractionFields[0].name"
    ])
    expect(faults({ extractionInstructions: "x".repeat(4_001) })).toEqual(["extractionConfig.extractionInstructions"])
    expect(faults({ itemise: true })).toContain("extractionConfig.itemise")
    expect(faults({}, "transactions")).toEqual(["extractionConfig"])
  })

  it("refuses a field of items where a row is a whole document", () => {
    const whole = { ...extraction, itemizePerRow: false }
    for (const blocks of [{ fieldMappings: itemName }, { extractionConfig: whole, fieldMappings: itemName }]) {
      expect(decode(blocks, "receipts").fields).toEqual(["fieldMappings[0].sourceField"])
    }
  })

  it("keeps absent blocks and clears null ones", () => {
    const details: Array<Detail> = []
    const first = decodeBlocks(
      "sync",
      "transactions",
      { sourceConfig: sync, schedule: daily },
      undefined,
      destinations,
      details,
      []
    )
    const before = { ...first, mappingsDefaulted: false } as unknown as Parameters<typeof decodeBlocks>[3]
    const second = decodeBlocks("sync", "transactions", { schedule: null }, before, destinations, details, [])
    expect([details, second.sourceConfig, second.schedule]).toEqual([[], sync, undefined])
  })
})

describe("FeedSources", () => {
  it.effect("pairs sources with the data types they have, where no program brings more", () =>
    Effect.map(FeedSources, (carried) =>
      expect(carriedPairs(carried).map((pair) => pair.join(" "))).toEqual([
        ...["transactions", "balances", "trades", "holdings", "orders", "loans"].map((one) => `sync ${one}`),
        "upload transactions",
        "upload balances"
      ])
    )
  )

  it("says whether the source or the pair is not to be had", () => {
    const carried = { sync: ["loans"], extractor: ["receipts"], upload: [] } as const
    expect(pairFault(carried, "extractor", "receipts")).toBeUndefined()
    expect(pairFault(carried, "extractor", "loans")).toBe("extractor feeds do not carry loans")
    expect(pairFault(carried, "upload", "receipts")).toBe("upload feeds are not available here")
  })
})

describe("allowsSchedule", () => {
  it("lets each plan be as fast as it may, and slower", () => {
    const order = ["hourly", "daily", "weekly", "monthly"] as const
    for (const name of planNames) {
      const fastest = order.indexOf(plans[name].fastestSchedule)
      expect(
        order.map((frequency) => allowsSchedule(plans[name], { enabled: true, frequency, timeOfDay: "06:00" }))
      ).toEqual(order.map((_, at) => at >= fastest))
    }
  })
})

describe("checkAccounts", () => {
  it.effect("names accounts that are listed twice or are not there", () =>
    Effect.gen(function* () {
      const other = { ...account, accountId: `acct_${"1".repeat(26)}` }
      const config = { type: "sync", accounts: [account, account, other] } as unknown as Parameters<
        typeof checkAccounts
      >[0]
      const exists = (_: string, id: string) =>
        Effect.succeed(id === account.accountId ? Option.some(1) : Option.none())
      expect(yield* checkAccounts(config, exists)).toEqual([
        { field: "sourceConfig.accounts[1].accountId", message: "is listed twice" },
        { field: "sourceConfig.accounts[2].accountId", message: "is not an account of this bank" }
      ])
      expect(yield* checkAccounts({ type: "upload" }, exists)).toEqual([])
    })
  )
})

describe("what is told of a wrong block", () => {
  const table = { type: "table", tableId: `tbl_${"0".repeat(26)}`, onRemoved: "mark", createMissingColumns: true }
  const csv = { delimiter: ";", encoding: "utf-8", decimal: ",", dateFormat: "DD.MM.YYYY", headerLine: 1, negate: true }
  const right: ReadonlyArray<Blocks> = [
    { sourceConfig: sync },
    { sourceConfig: { type: "upload", bankName: "B", csv: { ...csv, columns: { date: "Day" }, currency: "EUR" } } },
    { sourceConfig: { type: "upload", accountId: account.accountId, csv: { sideSigns: "keep", accountNumber: "1" } } },
    { destinationConfig: table },
    { destinationConfig: { type: "file", path: "a.csv", format: "csv", onRemoved: "keep" } },
    { fieldMappings: [{ sourceField: "id", destinationField: "A" }] },
    { dataTypeOptions: { dataType: "transactions", pendingMode: "sync_all", lookbackDays: 3 } },
    { dataTypeOptions: { dataType: "balances", mode: "append" } },
    { dataTypeOptions: { dataType: "trades", lookbackDays: 3 } },
    { dataTypeOptions: { dataType: "loans" } },
    { schedule: { ...daily, dayOfWeek: 1, dayOfMonth: 1, timezone: "Europe/Berlin" } }
  ]
  const wrong: ReadonlyArray<unknown> = [
    null,
    undefined,
    true,
    -1,
    1.5,
    1e300,
    "",
    " ",
    "a\nb",
    "x".repeat(3_000),
    [],
    [[]],
    [null],
    {},
    { type: "none" },
    { a: { b: 1 } }
  ]

  type Path = ReadonlyArray<string | number>
  const pathsOf = (value: unknown, path: Path): ReadonlyArray<Path> =>
    typeof value !== "object" || value === null
      ? [path]
      : [
          path,
          ...Object.entries(value).flatMap(([key, inner]) =>
            pathsOf(inner, [...path, Array.isArray(value) ? Number(key) : key])
          )
        ]

  const withValue = (node: unknown, [key, ...rest]: Path, value: unknown): unknown => {
    if (key === undefined) return value
    if (Array.isArray(node)) return node.map((item, at) => (at === key ? withValue(item, rest, value) : item))
    const { [key]: inner, ...others } = node as Readonly<Record<string, unknown>>
    const next = withValue(inner, rest, value)
    // What is undefined is left out.
    return next === undefined ? others : { ...others, [key]: next }
  }

  const textOf = (path: Path): string =>
    path.reduce<string>(
      (text, key) => (typeof key === "number" ? `${text}[${key}]` : text === "" ? key : `${text}.${key}`),
      ""
    )

  it("names the field and what is expected of it in words, whatever was sent, in every field of every block", () => {
    let told = 0
    for (const blocks of right) {
      const dataType = (blocks.dataTypeOptions as { dataType?: DataType } | undefined)?.dataType ?? "transactions"
      const source = (blocks.sourceConfig as { type?: "sync" | "upload" } | undefined)?.type ?? "sync"
      const faultsOf = (sent: Blocks): ReadonlyArray<Detail> => {
        const details: Array<Detail> = []
        decodeBlocks(source, dataType, sent, undefined, destinations, details, [])
        return details
      }
      expect(faultsOf(blocks)).toEqual([])
      const [block] = Object.keys(blocks) as [keyof Blocks]
      for (const path of pathsOf(blocks, []).slice(1)) {
        const unknown = [...path, "unknownKey"]
        const cases = wrong.map((value) => withValue(blocks, path, value))
        if (
          typeof path.reduce<unknown>((node, key) => (node as Record<string | number, unknown>)[key], blocks) ===
          "object"
        )
          cases.push(withValue(blocks, unknown, 1))
        for (const sent of cases)
          for (const { field, message } of faultsOf(sent as Blocks)) {
            told++
            const what = `${JSON.stringify(sent).slice(0, 200)}: ${field} ${message}`
            expect(field?.startsWith(block), what).toBe(true)
            expect(message, what).toMatch(/^(?:must|is|has|"|cannot) ?/)
            expect(message, what).not.toMatch(/Expected|readonly|Missing|Unexpected|[{}]|must must|Config|undefined|=>/)
          }
      }
      expect(textOf([block])).toBe(block)
    }
    expect(told).toBeGreaterThan(500)
  })

  it.each([
    [{ schedule: { enabled: true, timeOfDay: "06:00" } }, "schedule.frequency is required"],
    [
      { schedule: { ...daily, frequency: "yearly" } },
      "schedule.frequency must be one of hourly, daily, weekly, monthly"
    ],
    [{ schedule: { ...daily, enabled: "yes" } }, "schedule.enabled must be true or false"],
    [{ schedule: 5 }, "schedule must be an object"],
    [{ destinationConfig: { path: "a.csv" } }, "destinationConfig.type is required"],
    [
      { destinationConfig: { type: "paper" } },
      `destinationConfig.type must be one of ${destinations.map(({ type }) => type).join(", ")}`
    ],
    [
      { destinationConfig: { type: "file", path: "a.csv", format: "csv", misspelt: 1 } },
      "destinationConfig.misspelt is not a known key"
    ],
    [{ destinationConfig: { type: "table" } }, "destinationConfig.tableId is required"],
    [{ sourceConfig: { type: "magic" } }, "sourceConfig.type must be one of sync, upload"],
    [{ fieldMappings: {} }, "fieldMappings must be a list"],
    [{ fieldMappings: [5] }, "fieldMappings[0] must be an object"],
    [{ fieldMappings: [{ sourceField: "id" }] }, "fieldMappings[0].destinationField is required"],
    [
      { fieldMappings: [{ sourceField: "id", destinationField: "a\nb" }] },
      "fieldMappings[0].destinationField must not hold line breaks"
    ],
    [{ dataTypeOptions: {} }, "dataTypeOptions.dataType is required"]
  ])("says of %j what is wrong", (blocks, sentence) => {
    const details: Array<Detail> = []
    decodeBlocks("sync", "transactions", blocks, undefined, destinations, details, [])
    expect(details.map(({ field, message }) => `${field} ${message}`)).toEqual([sentence])
  })
})
