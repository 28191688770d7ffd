import { NodeDigest } from "@millrace/adapters"
import { FilterConfig, makeFilter } from "../../src/enrichment/kinds/filter.ts"
import { provenPatterns } from "../../src/pattern/Pattern.ts"
import { toPublic } from "../../src/bank/PublicRecord.ts"
import { dataTypes, fieldsOf, idKindOf, isDocumentType, namesOf, ownerFieldKeys } from "../../src/record/DataType.ts"
import { catalogOf } from "../../src/record/FieldCatalog.ts"
import type { Fields, FieldValue } from "../../src/record/FieldValue.ts"
import { itemsOf } from "../../src/record/Items.ts"
import * as CalendarDate from "../../src/shared/CalendarDate.ts"
import { Digest } from "../../src/shared/Digest.ts"
import { prefixes } from "../../src/shared/Ids.ts"
import { decode } from "../../src/shared/StrictDecoding.ts"
import { ingest } from "../../src/sync/Ingest.ts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import { RunWork } from "../../src/enrichment/RunWork.ts"

const digest = Effect.runSync(Digest.pipe(Effect.provide(NodeDigest.layer)))
const filter = makeFilter({ patterns: provenPatterns })
const context = { today: CalendarDate.make("2026-05-31"), work: new RunWork() }

const examplesOf = (dataType: (typeof dataTypes)[number], item: boolean): Fields =>
  Object.fromEntries(
    Object.entries(fieldsOf[dataType]).flatMap(([key, spec]): ReadonlyArray<[string, FieldValue]> =>
      spec.example === undefined || (spec.item === true) !== item || ownerFieldKeys.has(key)
        ? []
        : [[key, spec.example]]
    )
  )

const read = (dataType: (typeof dataTypes)[number], fields: Fields, items: ReadonlyArray<Fields> = []) =>
  ingest(
    dataType,
    { providerAccountId: "a", providerId: "p", pending: fields["pending"] === true, fields, items },
    digest
  )

const broken: Readonly<Record<string, FieldValue>> = { num: "twelve", date: "14.3.2026", ts: "yesterday", bool: "yes" }

it("has another id prefix and name for each data type", () => {
  expect(new Set(dataTypes.map((dataType) => prefixes[idKindOf[dataType]])).size).toBe(dataTypes.length)
  expect(new Set(dataTypes.map((dataType) => namesOf[dataType].one)).size).toBe(dataTypes.length)
})

describe.each(dataTypes)("%s", (dataType) => {
  const fields = examplesOf(dataType, false)
  const item = examplesOf(dataType, true)
  const taken = read(dataType, fields, [item])

  it("takes in the examples of its fields, and hands them out by the catalogue", () => {
    const { observation } = "observation" in taken ? taken : expect.fail(taken.quarantined.reason)
    expect(observation.fields).toMatchObject(fields)
    expect(itemsOf(observation.fields).map((one) => one.fields)).toEqual(Object.keys(item).length === 0 ? [] : [item])
    const shown = toPublic(dataType, { id: "id", fields: observation.fields }, {})
    expect(Object.keys(shown).filter((key) => !(key in fieldsOf[dataType]))).toEqual([])
    expect(shown).toMatchObject(fields)
  })

  it("names the field that it cannot read", () => {
    for (const [key, spec] of Object.entries(fieldsOf[dataType])) {
      const value = broken[spec.type]
      if (value === undefined || ownerFieldKeys.has(key) || ["pending", "creditAmount", "debitAmount"].includes(key))
        continue
      const refused =
        spec.item === true
          ? read(dataType, fields, [item, { [key]: value }])
          : read(dataType, { ...fields, [key]: value })
      const { reason } = "quarantined" in refused ? refused.quarantined : expect.fail(`${key}: it was taken in`)
      expect(reason.startsWith(spec.item === true ? `items[1].${key}: ` : `${key}: `), reason).toBe(true)
    }
  })

  it("is asked about each of its fields by what its type means", () => {
    const catalog = catalogOf(dataType)
    const verdict = (field: string, operator: string, value: string) => {
      const config = Result.getOrThrow(
        decode(FilterConfig, { mode: "keep", conditions: { logic: "and", conditions: [{ field, operator, value }] } })
      )
      expect(filter.check(config, catalog).errors).toEqual([])
      return filter.plan(filter.prepare(config, catalog), { recordId: "id", fields: { ...fields, ...item } }, context)
        .verdict?.value
    }
    const others: Readonly<Record<string, string>> = { num: "-987654", date: "1999-01-01", ts: "1999-01-01", bool: "x" }
    for (const [key, example] of Object.entries({ ...fields, ...item })) {
      const { type } = fieldsOf[dataType][key]!
      const value = type === "num" ? `${String(example)}.000`.replace(/(\..*)\.000$/, "$1") : String(example)
      expect(verdict(key, "equals", value), key).toBe("deliver")
      if (type === "bool") expect(verdict(key, "equals", String(example !== true)), key).toBe("drop")
      else expect(verdict(key, "equals", others[type] ?? "nobody says that"), key).toBe("drop")
    }
  })

  it("has equal hashes for equal contents and no others", () => {
    const hashOf = (result: ReturnType<typeof read>) =>
      "observation" in result ? result.observation.hash : expect.fail()
    expect(hashOf(read(dataType, fields, [item]))).toBe(hashOf(taken))
    if (!isDocumentType(dataType) || Object.keys(item).length === 0) return
    expect(hashOf(read(dataType, fields, [item, item]))).not.toBe(hashOf(taken))
    expect(hashOf(read(dataType, fields, [{ ...item, itemAmount: "1" }]))).not.toBe(hashOf(taken))
  })
})

describe("items", () => {
  it("are as exact as their document, without those that say nothing", () => {
    const taken = read("receipts", { currency: "JPY" }, [
      { itemAmount: "12.5", itemUnitPrice: "0.1234567890123" },
      {},
      { itemName: " " }
    ])
    const { observation } = "observation" in taken ? taken : expect.fail(taken.quarantined.reason)
    expect(itemsOf(observation.fields)).toEqual([
      { key: "1", fields: { itemAmount: "12", itemUnitPrice: "0.123456789012" } }
    ])
  })

  it("are refused beyond what one document may list", () => {
    const refused = read(
      "receipts",
      {},
      Array.from({ length: 1_001 }, (_, at) => ({ itemName: `n${at}` }))
    )
    expect("quarantined" in refused ? refused.quarantined.reason : "").toBe("items: are more than 1000")
  })

  it("carry the fields that a feed declares, each under its own type", () => {
    const declared = {
      cost_centre: { type: "str", label: "Cost centre", description: "", required: false },
      vat_rate: { type: "num", label: "VAT", description: "", required: false, item: true }
    } as const
    const observed = {
      providerAccountId: "a",
      providerId: "p",
      pending: false,
      fields: { cost_centre: "north", unheard: "x" },
      items: [{ itemName: "Tea", vat_rate: "8.10" }]
    }
    const taken = ingest("receipts", observed, digest, declared)
    const { observation } = "observation" in taken ? taken : expect.fail(taken.quarantined.reason)
    expect(observation.fields["cost_centre"]).toBe("north")
    expect(observation.fields["unheard"]).toBeUndefined()
    expect(itemsOf(observation.fields)).toEqual([{ key: "1", fields: { itemName: "Tea", vat_rate: "8.1" } }])
    const refused = ingest("receipts", { ...observed, items: [{ vat_rate: "low" }] }, digest, declared)
    expect("quarantined" in refused ? refused.quarantined.reason : "").toBe("items[0].vat_rate: cannot be read as num")
  })
})
