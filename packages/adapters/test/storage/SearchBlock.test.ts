import {
  blockRows,
  blocksOf,
  eachGram,
  groupSignatureOf,
  nearest,
  searchOf
} from "../../src/storage/postgres/SearchBlock.ts"
import { fewestBlocks, groupBlocks, groupSizes, placeOf } from "../../src/storage/postgres/SearchGroup.ts"
import { Decimal } from "@millrace/core"
import { describe, expect, it } from "vitest"

const gramsOf = (text: string): ReadonlyArray<number> => {
  const grams: Array<number> = []
  eachGram(text, (gram) => grams.push(gram))
  return grams
}

describe("grams of a text", () => {
  it("hold those of every part of it, however it is written", () => {
    const texts = ["Coop-4412 ZÜRICH", "ΟΔΥΣΣΕΥΣ", "İstanbul ÅKER", "Пятёрочка 12", "東京都 食品", "a😀bc ẞtraße"]
    for (const text of texts) {
      const whole = new Set(gramsOf(`x ${text} y`))
      for (let from = 0; from < text.length; from++) {
        for (let to = from + 1; to <= text.length; to++) {
          for (const gram of gramsOf(text.slice(from, to))) expect(whole).toContain(gram)
        }
      }
    }
  })

  it("are the same for upper and lower case", () => {
    for (const text of ["COOP ZÜRICH", "ΟΔΟΣ", "ПЯТЁРОЧКА", "ÅNGSTRÖM"]) {
      expect(gramsOf(text.toLowerCase())).toEqual(gramsOf(text))
    }
  })

  it("are none of what stands on both sides of a character of which lower case is uncertain, or of two rows", () => {
    expect(gramsOf("ab\u{10D50}cd")).toEqual([...gramsOf("ab"), ...gramsOf("cd")])
    expect(gramsOf("ab\u001ecd")).toEqual([...gramsOf("ab"), ...gramsOf("cd")])
  })
})

/** The texts of the rows, by the places where they begin. */
const saidBy = (length: number, text: (begin: number, end: number) => string, list: string): ReadonlyArray<string> => {
  const starts = list.slice(1, -1).split(",").map(Number)
  return starts.map((start, at) => text(start - 1, (starts[at + 1] ?? length + 2) - 2))
}

describe("blocks", () => {
  const rows = Array.from({ length: 2 * blockRows + 3 }, (_, n) => ({
    pending: n % 2 === 0,
    fields: { description: `row ${n} 😀`, amount: String((n * 7) % 50) }
  }))

  it("hold the rows in their order, each from where it begins", () => {
    const { blocks } = blocksOf(rows)
    expect(blocks.map((block) => block.rows)).toEqual([blockRows, blockRows, 3])
    const bytes = Buffer.from(blocks[2]!.texts)
    expect(blocks[2]!.isFolded).toBe(true)
    expect(saidBy(bytes.length, (begin, end) => bytes.toString("utf8", begin, end), blocks[2]!.starts)).toEqual(
      rows.slice(-3).map(({ fields }) => expect.stringMatching(new RegExp(`^\u001f${fields.description}\u001f`, "u")))
    )
    // Where nobody but PostgreSQL knows how many bytes it will have, characters are counted.
    const rare = ["İ 😀", "ⱥ", "b"].map((description) => ({ pending: false, fields: { description } }))
    const [block] = blocksOf(rare).blocks
    const points = Array.from(block!.texts)
    expect(block!.isFolded).toBe(false)
    expect(saidBy(points.length, (begin, end) => points.slice(begin, end).join(""), block!.starts)).toEqual(
      rare.map(({ fields }) => `\u001f${fields.description}${"\u001f".repeat(5)}`)
    )
  })

  it("hold amounts in their order, with the rows that have them", () => {
    const [block] = blocksOf(rows).blocks
    const amounts = block!.amounts.slice(1, -1).split(",").map(Number)
    expect(amounts).toEqual(amounts.toSorted((a, b) => a - b))
    const ofRows = block!.amountRows
      .slice(1, -1)
      .split(",")
      .map((row) => Number(rows[Number(row) - 1]!.fields.amount))
    expect(ofRows).toEqual(amounts)
  })

  it("leave out amounts that are none, and take in those that no floating number is near", () => {
    const [block] = blocksOf(
      ["1e400", "-99999999999999999999999999999999999999999.5", "0.00000000000000000000000000000000000000000000000001"]
        .map((amount): { readonly pending: boolean; readonly fields: Record<string, string | null> } => ({
          pending: false,
          fields: { amount }
        }))
        .concat([{ pending: false, fields: { amount: null } }])
    ).blocks
    expect(block!.amountRows).toBe("{2,3,1}")
    expect(nearest("1e400")).toBeLessThan(Infinity)
  })
})

const bitsOf = (signature: string): ReadonlySet<number> => {
  const bytes = Buffer.from(signature, "base64")
  return new Set(Array.from({ length: bytes.length * 8 }, (_, n) => n).filter((n) => bytes[n >> 3]! & (1 << (n & 7))))
}

describe("the signature of a block", () => {
  it("has the bits of all grams of its texts and no others, whether lower case is made here or by PostgreSQL", () => {
    for (const word of ["Zürich", "ΟΔΟΣ ὁδός", "İstanbul", "東京 😀"]) {
      const some = Array.from({ length: 20 }, (_, n) => ({
        pending: false,
        fields: { description: `${word} ${n * n}` }
      }))
      const [block] = blocksOf(some).blocks
      const size = Buffer.from(block!.signature, "base64").length * 8
      expect(bitsOf(block!.signature)).toEqual(new Set(gramsOf(block!.texts).map((gram) => gram & (size - 1))))
      expect(size).toBeLessThan(1_024)
    }
    const many = Array.from({ length: blockRows }, (_, n) => ({
      pending: false,
      fields: { description: (n * 7_919 * 104_729).toString(36).repeat(9) + (n * 611_953).toString(36) }
    }))
    expect(Buffer.from(blocksOf(many).blocks[0]!.signature, "base64").length * 8).toBeGreaterThan(2_048)
  })
})

const cellsOf = (signature: string) => new Uint16Array(Uint8Array.from(Buffer.from(signature, "base64")).buffer)

/** A row of which little is in another one; one of each block has an amount. */
const said = (n: number) => ({
  pending: false,
  fields: { description: (n * 7_919 * 104_729).toString(36), amount: n % blockRows === 3 ? String(n) : null }
})

describe("a group of blocks", () => {
  it("has the bits of all grams of each of its blocks and no others, wherever lower case is made", () => {
    const rows = Array.from({ length: fewestBlocks * blockRows }, (_, n) =>
      n === blockRows ? { pending: true, fields: { description: "İ ΟΔΟΣ" } } : said(n)
    )
    const { blocks, groups } = blocksOf(rows)
    expect(blocks.map(({ isFolded, isGrouped }) => [isFolded, isGrouped])).toEqual(
      blocks.map((_, n) => [n !== 1, true])
    )
    expect(groups.map(({ ends }) => ends)).toEqual([`{${blocks.map((_, n) => (n + 1) * blockRows).join(",")}}`])
    const cells = cellsOf(groups[0]!.signature)
    for (const [n, { signature, texts }] of blocks.entries()) {
      expect(signature).toBe("")
      const marked = Array.from(cells.keys()).filter((place) => (cells[place]! & (1 << n)) > 0)
      const grams = gramsOf(texts).map(placeOf)
      if (n === 1) expect(marked).toEqual(expect.arrayContaining([...new Set(grams)]))
      else expect(marked).toEqual([...new Set(grams)].toSorted((a, b) => a - b))
    }
    expect(groupSignatureOf(blocks.map(({ texts }) => texts))).toBe(groups[0]!.signature)
  })

  it("knows the lowest and the highest amount of its blocks, where they have any", () => {
    const rows = Array.from({ length: fewestBlocks * blockRows }, (_, n) => said(n))
    const [group] = blocksOf(rows).groups
    expect([group!.least, group!.most]).toEqual(["3", String((fewestBlocks - 1) * blockRows + 3)])
    const none = blocksOf(rows.map(() => ({ pending: false, fields: { description: "a" } }))).groups
    expect(none.map(({ least, most }) => [least, most])).toEqual([["", ""]])
  })

  it("is made of blocks that are written together where they are enough, and holds about as many as any other", () => {
    expect(groupSizes(fewestBlocks - 1)).toEqual([])
    expect(groupSizes(fewestBlocks)).toEqual([fewestBlocks])
    expect(groupSizes(2 * groupBlocks + 1)).toEqual([11, 11, 11])
    const rows = Array.from({ length: 40 * blockRows - 5 }, (_, n) => said(n))
    const { blocks, groups } = blocksOf(rows)
    expect(blocks.length).toBe(40)
    expect(groups.map(({ ends }) => ends.split(",").length)).toEqual([13, 13, 14])
    expect(groups.at(-1)!.ends.endsWith(`,${rows.length}}`)).toBe(true)
  })
})

describe("what a filter asks of blocks", () => {
  it("is nothing where it asks nothing that they know, or of records that are gone", () => {
    expect(searchOf({})).toBeUndefined()
    expect(searchOf({ pending: false, text: "" })).toBeUndefined()
    expect(searchOf({ state: "removed", text: "coop" })).toBeUndefined()
  })

  it("is the text first, then whole fields and amounts", () => {
    const search = searchOf({ text: "Coop", category: "FOOD", pending: true, minAmount: Decimal.make("-5") })
    expect(search?.needles).toEqual(["Coop", "\u001fFOOD\u001f", "\u001f\u0011\u001f"])
    expect(search?.amounts).toEqual({ least: -5, most: Infinity })
  })
})
