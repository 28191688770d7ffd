import { accountNames, bankOfName, isMaskedNumber, parseIban, sealedName } from "../../src/bank/AccountReference.ts"
import { describe, expect, it } from "@effect/vitest"

const share = (a: ReadonlyArray<string>, b: ReadonlyArray<string>) => a.some((name) => b.includes(name))
const named = (number: string, bankId = "") => accountNames({ number, bankId })

describe("the names of an account", () => {
  it("are the same for every way to write its number", () => {
    const ways = [
      named("DE89 3704 0044 0532 0130 00"),
      named("de89370400440532013000"),
      named("0532013000"),
      named("532013000"),
      named("53 20-130.00"),
      named("0532013000", "37040044")
    ]
    for (const one of ways)
      for (const other of ways) expect([one, other, share(one, other)]).toEqual([one, other, true])
    // A number with its bank in front of it, to all that know the bank.
    for (const joined of ["37040044/0532013000", "370400440532013000"]) {
      for (const one of [ways[0]!, ways.at(-1)!]) expect(share(named(joined), one)).toBe(true)
    }
  })

  it("are other ones for other numbers, and none where the number is not told whole", () => {
    expect(share(named("DE89370400440532013000"), named("532013001"))).toBe(false)
    expect(share(named("DE89370400440532013000"), named("CH9300762011623852957"))).toBe(false)
    for (const number of ["", "****1234", "XXXXXX1234", "4111********1111", "xxxx-1234", "••1234", "1234"]) {
      expect(named(number)).toEqual([])
    }
  })

  it("tell their bank, sealed or not", () => {
    const names = named("0532013000", "0037040044")
    expect(names.map(bankOfName)).toEqual(["37040044", undefined, undefined])
    expect(sealedName(names[0]!, (part) => `<${part}>`)).toBe("<37040044>#<532013000>")
    expect(sealedName("#532013000", (part) => `<${part}>`)).toBe("#<532013000>")
    expect(sealedName("CH9300762011623852957", (part) => `<${part}>`)).toBe("<CH9300762011623852957>")
  })

  it("know an IBAN by its check digits alone", () => {
    expect(parseIban("CH93 0076 2011 6238 5295 7")).toBe("CH9300762011623852957")
    expect(parseIban("CH94 0076 2011 6238 5295 7")).toBeUndefined()
    expect(isMaskedNumber("CH9300762011623852957")).toBe(false)
    expect(["XERO12345", "AX100", "12345678"].map(isMaskedNumber)).toEqual([false, false, false])
  })
})
