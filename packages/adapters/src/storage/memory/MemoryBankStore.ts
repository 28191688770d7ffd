/** Banks and accounts in memory. */
import { type Account, type AccountId, type Bank, type BankId, isLive, isOwnAccount } from "@millrace/core/bank"
import { type BankConnection, BankStore, isSameConnection } from "@millrace/core/storage"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { frozen } from "./Frozen.ts"
import { BankTable } from "./MemoryBankTable.ts"
import { Memory } from "./MemoryTransactor.ts"
import { ascending, byAge, byOrderThenAge } from "./Order.ts"

/** The one that was deleted last first. */
const lastDeleted = (a: Bank, b: Bank): number =>
  ascending(b.deletedAt ?? "", a.deletedAt ?? "") || ascending(b.id, a.id)

const named = (upstream: string, given: string | undefined): Pick<Account, "accountName" | "upstreamName"> =>
  given === undefined ? { accountName: upstream } : { accountName: given, upstreamName: upstream }

/** What a person calls it. */
const givenOf = ({ accountName, upstreamName }: Account) => (upstreamName === undefined ? undefined : accountName)

/** An account that is read where the other one was: its names stay. */
const readAs = (account: Account, other: Account, updatedAt: Account["updatedAt"]): Account => {
  const { joinedInto: _i, joins: _j, upstreamName: _n, ...upstream } = other
  const { accountName, createdAt, id, joinedInto, joins, upstreamName } = account
  return {
    ...upstream,
    ...named(upstreamName ?? accountName, givenOf(account)),
    id,
    createdAt,
    updatedAt,
    ...(joinedInto === undefined ? {} : { joinedInto }),
    ...(joins === undefined ? {} : { joins })
  }
}

const looked = ({ connectionStatus }: Bank) => connectionStatus?.lastCheckedAt ?? ""

export const layer: Layer.Layer<BankStore, never, Memory | BankTable> = Layer.effect(
  BankStore,
  Effect.gen(function* () {
    const { accountHooks, call, remove, set } = yield* Memory
    const { banks } = yield* BankTable
    const connections = new Map<BankId, BankConnection>()
    const accounts = new Map<AccountId, Account>()
    /** Unless it was made for a feed. */
    const shown = (id: BankId): Bank | undefined => {
      const bank = banks.get(id)
      return bank?.madeFor === undefined ? bank : undefined
    }

    const banksOf = (instanceId: string, ref: string): ReadonlyArray<Bank> =>
      [...connections].flatMap(([id, held]) => {
        const bank = banks.get(id)
        return bank !== undefined && held.instanceId === instanceId && held.connection.ref === ref ? [bank] : []
      })

    accountHooks.exchanged.push((one, other, updatedAt) => {
      const [a, b] = [accounts.get(one), accounts.get(other)]
      if (a === undefined || b === undefined || a.workspaceId !== b.workspaceId) return
      set(accounts, one, frozen(readAs(a, b, updatedAt)))
      set(accounts, other, frozen(readAs(b, a, updatedAt)))
    })
    accountHooks.joined.push((whole, part, isPart) => {
      const [into, one] = [accounts.get(whole), accounts.get(part)]
      if (one !== undefined) {
        const { joinedInto: _, ...rest } = one
        set(accounts, part, frozen<Account>(isPart ? { ...rest, joinedInto: whole } : rest))
      }
      if (into !== undefined) {
        const { joins: before = 0, ...rest } = into
        const joins = before + (isPart ? 1 : -1)
        set(accounts, whole, frozen<Account>(joins > 0 ? { ...rest, joins } : rest))
      }
    })

    return BankStore.of({
      insert: (bank, connection) =>
        call(() => {
          set(banks, bank.id, frozen(bank))
          if (connection !== undefined) set(connections, bank.id, frozen(connection))
        }),
      list: (workspaceIds, which = "live") =>
        call(() =>
          [...banks.values()]
            .filter(
              (bank) =>
                bank.madeFor === undefined &&
                workspaceIds.includes(bank.workspaceId) &&
                (bank.deletedAt === undefined || bank.removal !== undefined) === (which === "live")
            )
            .toSorted(byOrderThenAge)
        ),
      get: (workspaceId, id) =>
        call(() => Option.fromUndefinedOr(shown(id)).pipe(Option.filter((bank) => bank.workspaceId === workspaceId))),
      made: (feedId) =>
        call(() => [...banks.values()].filter(({ madeFor }) => madeFor === feedId).toSorted(byOrderThenAge)),
      holdMade: (bank) =>
        call(() => {
          const same = (one: Bank) => one.madeFor === bank.madeFor && one.source === bank.source
          const held = [...banks.values()].find(same)
          if (held !== undefined) return held
          const kept = frozen<Bank>(bank)
          set(banks, bank.id, kept)
          return kept
        }),
      hold: (workspaceId, id) =>
        call(() => Option.fromUndefinedOr(shown(id)).pipe(Option.filter((bank) => bank.workspaceId === workspaceId))),
      holdLive: (workspaceId, ids) =>
        call(() =>
          ids.filter((id) => {
            const bank = banks.get(id)
            return bank?.workspaceId === workspaceId && bank.deletedAt === undefined && bank.removal === undefined
          })
        ),
      setLife: (id, { deletedAt, removal }, at) =>
        call(() => {
          const bank = banks.get(id)
          if (bank === undefined) return
          const { deletedAt: _, removal: _r, ...rest } = bank
          const life = {
            ...(deletedAt === undefined ? {} : { deletedAt }),
            ...(removal === undefined ? {} : { removal })
          }
          set(banks, id, frozen({ ...rest, ...life, updatedAt: at }))
        }),
      dropConnection: (id) => call(() => remove(connections, id)),
      purgeable: (deletedBy, limit) =>
        call(() =>
          [...banks.values()]
            .filter(({ deletedAt, madeFor, removal }) => {
              if (deletedAt === undefined || madeFor !== undefined || removal !== undefined) return false
              return deletedAt <= deletedBy
            })
            .toSorted((a, b) => ascending(a.deletedAt!, b.deletedAt!) || ascending(a.id, b.id))
            .slice(0, limit)
        ),
      byConnection: (workspaceId, instanceId, ref, which = "live") =>
        call(() => {
          const found = [...banksOf(instanceId, ref)].filter(
            (bank) => bank.workspaceId === workspaceId && (bank.deletedAt === undefined) === (which === "live")
          )
          return Option.fromUndefinedOr(found.toSorted(lastDeleted)[0])
        }),
      ofConnection: (instanceId, ref) => call(() => banksOf(instanceId, ref).toSorted(byAge).slice(0, 100)),
      anyConnected: (workspaceId, instanceId) =>
        call(() =>
          [...connections].some(
            ([id, held]) => held.instanceId === instanceId && banks.get(id)?.workspaceId === workspaceId
          )
        ),
      connection: (id) => call(() => Option.fromUndefinedOr(connections.get(id))),
      replaceConnection: (id, connection, status, at) =>
        call(() => {
          const bank = banks.get(id)
          if (bank === undefined) return
          set(connections, id, frozen(connection))
          set(banks, id, frozen({ ...bank, connectionStatus: status, updatedAt: at }))
        }),
      rotateSecrets: (id, known, secrets) =>
        call(() => {
          const held = connections.get(id)
          if (held === undefined) return Option.none()
          if (!isSameConnection(held.connection, known)) return Option.some(held.connection)
          const connection = { ...known, secrets }
          set(connections, id, frozen({ ...held, connection }))
          return Option.some(connection)
        }),
      update: (workspaceId, id, { icon, name, order }, at) =>
        call(() => {
          const bank = shown(id)
          if (bank?.workspaceId !== workspaceId) return false
          const { icon: before, ...rest } = bank
          const shownIcon = icon === undefined ? before : icon
          set(
            banks,
            id,
            frozen<Bank>({
              ...rest,
              ...(shownIcon === undefined || shownIcon === null ? {} : { icon: shownIcon }),
              ...(name === undefined ? {} : { name }),
              ...(order === undefined ? {} : { order }),
              updatedAt: at
            })
          )
          return true
        }),
      unchecked: (since, limit) =>
        call(() => {
          return [...banks.values()]
            .filter((bank) => isLive(bank) && connections.has(bank.id) && looked(bank) < since)
            .toSorted((a, b) => (looked(a) < looked(b) ? -1 : looked(a) > looked(b) ? 1 : a.id < b.id ? -1 : 1))
            .slice(0, limit)
        }),
      setStatus: (id, status, at) =>
        call(() => {
          const bank = banks.get(id)
          if (bank !== undefined) set(banks, id, frozen({ ...bank, connectionStatus: status, updatedAt: at }))
        }),
      remove: (workspaceId, id) =>
        call(() => {
          if (banks.get(id)?.workspaceId !== workspaceId) return false
          remove(banks, id)
          remove(connections, id)
          for (const account of accounts.values()) if (account.bankId === id) remove(accounts, account.id)
          return true
        }),
      accounts: (bankId) =>
        call(() => [...accounts.values()].filter((account) => account.bankId === bankId).toSorted(byAge)),
      account: (workspaceId, bankId, id) =>
        call(() =>
          Option.fromUndefinedOr(accounts.get(id)).pipe(
            Option.filter((account) => account.workspaceId === workspaceId && account.bankId === bankId),
            Option.filter(isOwnAccount),
            Option.filter(() => shown(bankId) !== undefined)
          )
        ),
      putAccounts: (list) =>
        call(() => {
          for (const account of list) {
            const before = accounts.get(account.id) ?? account
            const { historyFrom, joinedInto, joins, readFrom, signAskedAt, signOverride } = before
            const {
              historyFrom: _,
              joinedInto: _i,
              joins: _j,
              readFrom: _r,
              signAskedAt: _a,
              signOverride: _s,
              upstreamName,
              ...rest
            } = account
            const kept = {
              ...(historyFrom === undefined ? {} : { historyFrom }),
              ...(readFrom === undefined ? {} : { readFrom }),
              ...(signOverride === undefined ? {} : { signOverride }),
              ...(signAskedAt === undefined ? {} : { signAskedAt }),
              ...(joinedInto === undefined ? {} : { joinedInto }),
              ...(joins === undefined ? {} : { joins })
            }
            set(
              accounts,
              account.id,
              frozen({ ...rest, ...kept, ...named(upstreamName ?? rest.accountName, givenOf(before)) })
            )
          }
        }),
      describeAccount: (id, { accountName, signAskedAt, signOverride }, at) =>
        call(() => {
          const account = accounts.get(id)
          if (account === undefined) return
          const { signAskedAt: asked, signOverride: turned = false, upstreamName, ...rest } = account
          const nextAsked = signAskedAt === undefined ? asked : (signAskedAt ?? undefined)
          const given = accountName === undefined && upstreamName !== undefined ? rest.accountName : accountName
          set(
            accounts,
            id,
            frozen<Account>({
              ...rest,
              ...named(upstreamName ?? rest.accountName, given ?? undefined),
              ...((signOverride ?? turned) ? { signOverride: true } : {}),
              ...(nextAsked === undefined ? {} : { signAskedAt: nextAsked }),
              updatedAt: at
            })
          )
        }),
      setReadFrom: (id, dataType, from) =>
        call(() => {
          const account = accounts.get(id)
          if (account === undefined) return
          const { readFrom, ...rest } = account
          const { [dataType]: _, ...others } = readFrom ?? {}
          const next = from === undefined ? others : { ...others, [dataType]: from }
          set(accounts, id, frozen(Object.keys(next).length === 0 ? rest : { ...rest, readFrom: next }))
        }),
      setHistoryFrom: (id, historyFrom) =>
        call(() => {
          const account = accounts.get(id)
          if (account !== undefined) set(accounts, id, frozen({ ...account, historyFrom }))
        })
    })
  })
)
