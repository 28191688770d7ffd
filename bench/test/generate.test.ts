import { describe, expect, it } from "@effect/vitest"
import { readCamt, readCsv, readMt940, readOfx, readQif } from "@millrace/adapters/statement"
import { Currency, Decimal } from "@millrace/core"
import * as Result from "effect/Result"
import { decimalText, generate, toCamt, toCsv, toMt940, toOfx, toQif } from "../generate.ts"

const options = { fileName: "generated", baseCurrency: Currency.make("CHF") }
const bytes = (text: string) => new TextEncoder().encode(text)
const seeded = { seed: 1, transactions: 1_000, accounts: 3 }

describe("generate", () => {
  it("gives the same bytes for the same seed, and others for another", () => {
    expect(toOfx(generate(seeded))).toBe(toOfx(generate(seeded)))
    expect(toOfx(generate({ ...seeded, seed: 2 }))).not.toBe(toOfx(generate(seeded)))
  })

  it("spreads just as many transactions as asked for over the accounts, with ids that differ", () => {
    const accounts = generate(seeded)
    expect(accounts.map(({ rows }) => rows.length)).toEqual([334, 333, 333])
    expect(new Set(accounts.flatMap(({ rows }) => rows.map(({ id }) => id))).size).toBe(1_000)
    expect(new Set(accounts.map(({ number }) => number)).size).toBe(3)
    expect(generate({ ...seeded, transactions: 2 }).map(({ rows }) => rows.length)).toEqual([1, 1, 0])
  })

  it("writes OFX that is read back row by row", () => {
    const accounts = generate(seeded)
    const read = Result.getOrThrow(readOfx(bytes(toOfx(accounts)), options))
    expect(read.accounts.map(({ number }) => number)).toEqual(accounts.map(({ number }) => number))
    for (const [n, { rows, closingBalance }] of read.accounts.entries()) {
      expect(rows.map(({ providerId, date, amount }) => [providerId, date, amount])).toEqual(
        accounts[n]!.rows.map(({ id, date, cents }) => [id, date, Decimal.make(decimalText(cents))])
      )
      expect(closingBalance).toBe(Decimal.sum(rows.map(({ amount }) => amount)))
    }
  })

  it("writes CSV that is read back row by row", () => {
    const [account] = generate({ ...seeded, accounts: 1 })
    const read = Result.getOrThrow(readCsv(bytes(toCsv(account!)), options))
    expect(read.accounts[0]!.rows.map(({ date, amount }) => [date, amount])).toEqual(
      account!.rows.map(({ date, cents }) => [date, Decimal.make(decimalText(cents))])
    )
  })

  it("writes CAMT that is read back row by row, and ties out", () => {
    const accounts = generate(seeded)
    const read = Result.getOrThrow(readCamt(bytes(toCamt(accounts)), options))
    for (const [n, { difference, rows }] of read.accounts.entries()) {
      expect(rows.map(({ providerId, date, amount }) => [providerId, date, amount])).toEqual(
        accounts[n]!.rows.map(({ id, date, cents }) => [id, date, Decimal.make(decimalText(cents))])
      )
      expect(difference).toBe("0")
    }
  })

  it("writes MT940 and QIF that are read back row by row", () => {
    const [account] = generate({ ...seeded, accounts: 1 })
    const days = account!.rows.map(({ date, cents }) => [date, Decimal.make(decimalText(cents))])
    const mt940 = Result.getOrThrow(readMt940(bytes(toMt940(account!)), options))
    expect(mt940.accounts[0]!.rows.map(({ date, amount }) => [date, amount])).toEqual(days)
    expect([mt940.accounts[0]!.difference, mt940.warnings]).toEqual(["0", []])
    const qif = Result.getOrThrow(readQif(bytes(toQif(account!)), options))
    expect(qif.accounts[0]!.rows.map(({ date, amount }) => [date, amount])).toEqual(days)
    expect(qif.accounts[0]!.number).toBe(account!.number)
  })

  it("writes minor units as exact text", () => {
    expect([0, 5, -5, 100, -123_456].map(decimalText)).toEqual(["0.00", "0.05", "-0.05", "1.00", "-1234.56"])
  })
})
