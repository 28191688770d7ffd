/** Accounts that cannot be read: each is named with its field, its rows stay, and all other accounts are read. */
import { expect } from "@effect/vitest"
import type { ObservedAccount, UnreadAccount } from "@millrace/core/provider"
import * as Effect from "effect/Effect"
import { runIn } from "./ProviderRun.ts"
import { asksNothing, type UpstreamCase } from "./UpstreamCase.ts"
import { stored } from "./UpstreamKernel.ts"
import { type ConnectedWorld, connected, expectNoSecrets, openSession, pulls } from "./UpstreamUnderTest.ts"

type Account = Readonly<Record<string, unknown>>

interface Oddness {
  readonly title: string
  /** The member that is odd; absent where the account is listed twice. */
  readonly member?: string
  readonly change: (account: Account) => ReadonlyArray<unknown>
}

/** What stands in place of a value; `undefined`: nothing. */
const replacements: ReadonlyArray<readonly [string, unknown]> = [
  ["missing", undefined],
  ["null", null],
  ["empty", ""],
  ["a text", "1,234.56 or so"],
  ["a number", 12],
  ["an object", { odd: true }],
  ["a list", ["odd"]]
]

const without = (account: Account, member: string): Account =>
  Object.fromEntries(Object.entries(account).filter(([key]) => key !== member))

const oddnessOf = (members: Iterable<string>): ReadonlyArray<Oddness> => [
  { title: "listed twice, in two forms", change: (account) => [account, { ...account, another: "form" }] },
  ...Array.from(members).flatMap((member) =>
    replacements.map(([how, value]): Oddness => ({
      title: `${member} is ${how}`,
      member,
      change: (account) =>
        member in account
          ? [value === undefined ? without(account, member) : { ...account, [member]: value }]
          : [account]
    }))
  )
]

const listedBy = Effect.fnUntraced(function* (world: ConnectedWorld) {
  const session = yield* openSession(world)
  yield* session.inspect
  const accounts = yield* session.listAccounts
  const unread = yield* session.unreadAccounts ?? Effect.succeed<ReadonlyArray<UnreadAccount>>([])
  return { accounts, unread }
})

/** The connection with its accounts, and the members that its upstream tells of the first of them. */
const looked = Effect.fnUntraced(function* (world: ConnectedWorld) {
  const { accounts } = yield* listedBy(world)
  const [odd, ...others] = accounts
  if (odd === undefined || others.length === 0) expect.fail("the connection has fewer than two accounts")
  const members = new Set<string>()
  const note = (account: Account) => {
    for (const member of Object.keys(account)) members.add(member)
    return [account]
  }
  world.fake.server.plan({ incident: { kind: "accounts", id: odd.providerAccountId, change: note }, times: 10_000 })
  yield* listedBy(world)
  world.fake.server.calm()
  return { odd, others, members }
})

const struck = <A, E, R>(
  { fake }: ConnectedWorld,
  { providerAccountId: id }: ObservedAccount,
  { change }: Oddness,
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    fake.server.plan({ incident: { kind: "accounts", id, change }, times: 100_000 })
    return Effect.ensuring(
      effect,
      Effect.sync(() => fake.server.calm())
    )
  })

/** Those ways of being odd in which the account cannot be read. */
const unreadable = Effect.fnUntraced(function* (world: ConnectedWorld) {
  const { members, odd, others } = yield* looked(world)
  const found: Array<readonly [Oddness, UnreadAccount]> = []
  for (const oddness of oddnessOf(members)) {
    const told = yield* Effect.exit(struck(world, odd, oddness, listedBy(world)))
    if (told._tag === "Failure") expect.fail(`${oddness.title}: ${String(told.cause)}`)
    const { accounts, unread } = told.value
    const shown = accounts.filter(({ providerAccountId }) =>
      others.some((one) => one.providerAccountId === providerAccountId)
    )
    expect([oddness.title, shown]).toEqual([oddness.title, others])
    expect([oddness.title, unread.length <= 1]).toEqual([oddness.title, true])
    const [one] = unread
    if (one === undefined) continue
    expect([oddness.title, accounts.length]).toEqual([oddness.title, others.length])
    const isIdOdd = oddness.member === "id" || oddness.member === "account_id"
    expect([oddness.title, isIdOdd || one.providerAccountId === odd.providerAccountId]).toEqual([oddness.title, true])
    const names = oddness.member === undefined ? "twice" : oddness.member
    expect([oddness.title, one.reason.includes(names) ? "" : one.reason]).toEqual([oddness.title, ""])
    found.push([oddness, one])
  }
  return { found, odd, others }
})

export const accountCases: ReadonlyArray<UpstreamCase> = [
  {
    title:
      "names an account that cannot be read with its field, however it is odd, and reads all others with their rows",
    lacks: asksNothing,
    run: Effect.fnUntraced(function* (options) {
      const world = yield* connected(options)
      const { found, odd } = yield* unreadable(world)
      expect(found.map(([{ title }]) => title)).toContain("listed twice, in two forms")
      for (const [oddness] of [found[0]!, found.at(-1)!]) {
        const requests = (yield* pulls(world, yield* openSession(world)))
          .map((request) => ({
            ...request,
            providerAccountIds: request.providerAccountIds.filter((id) => id !== odd.providerAccountId)
          }))
          .filter(({ dataType, providerAccountIds }) => dataType === "transactions" && providerAccountIds.length > 0)
        for (const request of requests) {
          const ofThese = ({ providerAccountId }: { readonly providerAccountId: string }) =>
            request.providerAccountIds.includes(providerAccountId)
          const before = yield* runIn(openSession(world), request)
          const after = yield* struck(world, odd, oddness, runIn(openSession(world), request))
          expect([oddness.title, after.upserted.filter(ofThese)]).toEqual([
            oddness.title,
            before.upserted.filter(ofThese)
          ])
        }
      }
      expectNoSecrets(world)
    })
  },
  {
    title: "a sync keeps the rows of an account that cannot be read, reads the others, and the bank says which and why",
    lacks: asksNothing,
    run: Effect.fnUntraced(function* (options) {
      const world = yield* connected(options)
      const { found, odd } = yield* unreadable(world)
      const [oddness, told] = found.find(([, { providerAccountId }]) => providerAccountId === odd.providerAccountId)!
      const reader = yield* stored(world)
      expect(yield* reader.sync).toEqual([])
      const state = Effect.gen(function* () {
        const accounts = yield* reader.accounts
        const rows = yield* Effect.forEach(accounts, ({ id }) =>
          Effect.forEach(options.dataTypes, (dataType) =>
            Effect.map(reader.page(id, dataType), (page) => page.map((row) => row.id))
          )
        )
        return { accounts: accounts.map(({ id, state: how }) => [id, how]), rows }
      })
      const before = yield* state
      expect(yield* struck(world, odd, oddness, reader.sync)).toEqual([])
      expect(yield* state).toEqual(before)
      const status = yield* reader.status
      expect(status).toMatchObject({ status: "degraded", connected: true })
      expect(status?.errorMessage).toContain(told.name ?? odd.providerAccountId)
      expect(status?.errorMessage).toContain(told.reason)
      expect(yield* reader.sync).toEqual([])
      expect(yield* state).toEqual(before)
      expect((yield* reader.status)?.errorMessage ?? "").not.toContain(told.reason)
      expectNoSecrets(world)
    })
  }
]
