/** Accounts and currencies as small numbers, for the legs of one plan. */
import type { AccountType } from "../../../provider/AccountType.ts"
import * as Currency from "../../../shared/Currency.ts"
import type { SetAccount } from "../SetKind.ts"
import type { LegRules } from "./Leg.ts"

const liabilities: ReadonlySet<AccountType> = new Set(["credit_card", "line_of_credit", "loan", "mortgage"])

/** What is looked at of an account, leg after leg. */
export interface LegAccount {
  readonly account: SetAccount
  /** From 0, in the order of ids. */
  readonly number: number
  readonly currency: number
  readonly mirror: boolean
  readonly liability: boolean
}

/** Records that are looked at together. */
export const blockSize = 128

/** Columns that legs are read into: a row for each record, in order. */
class LegRoom {
  readonly size: number
  readonly day: Int32Array
  readonly account: Int32Array
  readonly currency: Uint16Array
  readonly units: Float64Array
  readonly weight: Int16Array
  readonly hint: Int8Array
  readonly flags: Uint8Array
  readonly signs: Uint8Array
  readonly text: Int32Array
  /** Places of records that are read anew. */
  readonly unread: Int32Array
  /** What is written in the records of a block. */
  readonly amount: Array<string> = Array.from({ length: blockSize }, () => "")
  readonly said: Array<string> = Array.from({ length: blockSize }, () => "")
  /** All 0 between uses. */
  readonly marks: Int32Array

  constructor(size: number) {
    this.size = size
    this.day = new Int32Array(size)
    this.account = new Int32Array(size)
    this.currency = new Uint16Array(size)
    this.units = new Float64Array(size)
    this.weight = new Int16Array(size)
    this.hint = new Int8Array(size)
    this.flags = new Uint8Array(size)
    this.signs = new Uint8Array(size)
    this.text = new Int32Array(size)
    this.unread = new Int32Array(size)
    this.marks = new Int32Array(size)
  }
}

export class LegSpace {
  readonly rules: LegRules
  /** By number. */
  readonly accounts: ReadonlyArray<LegAccount>
  /** By number. */
  readonly currencies: Array<Currency.Currency> = []
  /** By a hash of the last letters of its id, each in the first free place from there on. */
  private readonly places: Array<LegAccount | undefined>
  private readonly numbers = new Map<string, number>()
  private rooms = new LegRoom(0)

  /** `ordered`: by id. Accounts that are excluded are left out. */
  constructor(ordered: ReadonlyArray<SetAccount>, rules: LegRules) {
    this.rules = rules
    const accounts: Array<LegAccount> = []
    for (const account of ordered) {
      const { accountId, accountType } = account
      if (rules.excluded.has(accountId)) continue
      const one: LegAccount = {
        account,
        number: accounts.length,
        currency: this.currency(account.currency),
        mirror: rules.mirrors.has(accountId),
        liability: liabilities.has(accountType)
      }
      accounts.push(one)
    }
    this.accounts = accounts
    this.places = Array.from({ length: 4 << (32 - Math.clz32(accounts.length)) })
    for (const one of accounts) {
      let at = this.placeOf(one.account.accountId)
      while (this.places[at] !== undefined) at = (at + 1) & (this.places.length - 1)
      this.places[at] = one
    }
  }

  private placeOf(id: string): number {
    const last = id.length - 1
    const letters = (id.charCodeAt(last) * 31 + id.charCodeAt(last - 1)) * 31 + id.charCodeAt(last - 2)
    return (letters ^ (letters >> 7)) & (this.places.length - 1)
  }

  account(id: string): LegAccount | undefined {
    const { places } = this
    for (let at = this.placeOf(id); ; at = (at + 1) & (places.length - 1)) {
      const one = places[at]
      if (one === undefined || one.account.accountId === id) return one
    }
  }

  /** For so many records at least; the same room each time, and whatever was in it is there still. */
  room(records: number): LegRoom {
    if (this.rooms.size < records) this.rooms = new LegRoom(records + (records >> 2))
    return this.rooms
  }

  /** -1 for what is no currency. */
  currency(text: string): number {
    const known = this.numbers.get(text)
    if (known !== undefined) return known
    const currency = Currency.parse(text)
    // One may be written in several ways.
    let number = currency === undefined ? -1 : this.currencies.indexOf(currency)
    if (currency !== undefined && number < 0) number = this.currencies.push(currency) - 1
    if (this.numbers.size < mostTexts) this.numbers.set(text, number)
    return number
  }
}

/** Texts for currencies that are remembered. */
const mostTexts = 1_000
