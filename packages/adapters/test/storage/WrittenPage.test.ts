import { packFields } from "../../src/storage/postgres/record/RecordFields.ts"
import { pageOf } from "../../src/storage/postgres/WrittenPage.ts"
import { type Fields, type FieldValue, isText, placeSize, type ShownPage } from "@millrace/core/record"
import { Seeded } from "@millrace/testing/model"
import { describe, expect, it } from "vitest"

const names = ["date", "pending", "amount", "creditAmount", "debitAmount", "description", "originalDescription", "type"]
const texts = ["", "-", "-1", "1", "2026-03-14", 'a "b" \\', "\\\\", "line\nbreak\u0001", "żółć 🏦", "],[{}", "\ud800"]
const values: ReadonlyArray<FieldValue> = [...texts, true, false, null]

interface Row {
  readonly id: string
  readonly date: string | null
  readonly pending: boolean
  readonly fields: Fields
}

/** As `json_agg` writes it. */
const written = (
  rows: ReadonlyArray<Row>,
  fieldsOf = packFields as (fields: Fields, row: Row) => string
): ShownPage => {
  const text = rows.map(
    (row) =>
      `{"id":${JSON.stringify(row.id)},"date":${JSON.stringify(row.date)},"pending":${row.pending},"fields":${fieldsOf(row.fields, row)}}`
  )
  return pageOf(new TextEncoder().encode(`[${text.join(", \n ")}]`))
}

/** What the places of a record say, by the names. */
const found = ({ written: page }: ShownPage, at: number): Readonly<Record<string, unknown>> => {
  const { bytes, places, records } = page!
  const { first, names: own } = records[at]!
  return Object.fromEntries(
    own.map((name, n) => {
      const [begin, end, kind] = places.subarray(first + n * placeSize)
      const text = new TextDecoder().decode(bytes.subarray(begin, end))
      return [name, JSON.parse(kind === isText ? `"${text}"` : text)]
    })
  )
}

describe("a page as PostgreSQL writes it", () => {
  it("has each value where it says, and the same records when it is read", () => {
    const random = new Seeded(3)
    for (let n = 0; n < 400; n++) {
      const rows = Array.from({ length: random.below(9) }, (): Row => {
        const own = names.filter(() => !random.once(3)).toSorted(() => (random.once(2) ? 1 : -1))
        return {
          id: random.pick(["txn_1", 'odd "\\ id', "é"]),
          date: random.pick(["2026-03-14", null]),
          pending: random.once(2),
          fields: Object.fromEntries(own.map((name) => [name, random.pick(values)]))
        }
      })
      const page = written(rows)
      expect(page.length).toBe(rows.length)
      expect(page.records).toEqual(rows.map(({ date, fields, id }) => ({ id, date, fields })))
      rows.forEach(({ date, fields, id }, at) => {
        expect(page.position(at)).toEqual({ id, date })
        expect(found(page, at)).toMatchObject({ ...fields, id })
        for (const name of names) expect(page.value(at, name)).toBe(fields[name])
      })
    }
  })

  it("is read at once where a row of an earlier version has names, or a value that is no scalar", () => {
    const row: Row = { id: "txn_1", date: null, pending: false, fields: { amount: "-1" } }
    for (const fields of ['{"amount":"-1"}', '["E",["-1"]]']) {
      const page = written([row, row], (own, { pending }) => (pending ? packFields(own, row) : fields))
      expect(page.written).toBeUndefined()
      expect(page.length).toBe(2)
    }
    const mixed = written([row, { ...row, pending: true }], (own, { pending }) =>
      pending ? JSON.stringify(own) : packFields(own, row)
    )
    expect(mixed.records.map(({ fields }) => fields)).toEqual([row.fields, row.fields])
  })

  it("may have spaces between its values", () => {
    const page = pageOf(
      new TextEncoder().encode(
        '[ {"id":"1","date":null,"pending":true,"fields":["EH", "-1",  0]} ,\n{"id":"2","date":null,"pending":false,"fields":["E", "7"]}\n]'
      )
    )
    expect([found(page, 0), found(page, 1)]).toMatchObject([
      { id: "1", amount: "-1", pending: true },
      { id: "2", amount: "7" }
    ])
  })
})
