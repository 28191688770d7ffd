/** An order that is authorised as a whole and booked in parts. */
import { describe, expect, it } from "vitest"
import { held, idsOf, matched, read, seen, type Read } from "./Rows.ts"

const order = (edited: boolean) => held("a", { amount: "-90", text: "ONLINE STORE", pending: true }, {}, { edited })
const part = (id: string, amount: string) => seen(id, { amount, text: "ONLINE STORE BERLIN", day: "2026-03-15" })

const booked = (amounts: ReadonlyArray<string>, change: Read = {}) => {
  const result = read({
    idTrust: "perStatus",
    held: [order(true)],
    observations: amounts.map((amount, n) => part(`b${n}`, amount)),
    ...change
  })
  return {
    goesOnAs: matched(result).find(([, record]) => record === "a")?.[0],
    suggested: result.suggestions.map(({ observed, recordId }) => [recordId, observed.providerId]),
    gone: idsOf(result.gone)
  }
}

describe("an order that is booked in parts", () => {
  it("goes on as the largest part, and asks whether another one was meant", () => {
    expect(booked(["-30", "-60"])).toEqual({ goesOnAs: "p-b1", suggested: [["a", "p-b0"]], gone: [] })
    expect(booked(["-60", "-30"])).toEqual({ goesOnAs: "p-b0", suggested: [["a", "p-b1"]], gone: [] })
    expect(booked(["-25", "-40", "-25"])).toEqual({
      goesOnAs: "p-b1",
      suggested: [
        ["a", "p-b0"],
        ["a", "p-b2"]
      ],
      gone: []
    })
  })

  it("asks nobody where nobody wrote on it", () => {
    expect(booked(["-30", "-60"], { held: [order(false)] })).toEqual({ goesOnAs: "p-b1", suggested: [], gone: [] })
  })

  it("is told from rows that do not come to its amount, or do in two ways, and from one booked whole", () => {
    expect(booked(["-25", "-41", "-25"]).goesOnAs).toBeUndefined()
    expect(booked(["-40", "-41", "-49", "-50"]).goesOnAs).toBeUndefined()
    expect(booked(["-30", "-60", "-90"])).toMatchObject({ goesOnAs: "p-b2", suggested: [] })
  })
})
