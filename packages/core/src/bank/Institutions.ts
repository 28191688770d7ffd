/** Which banks can be connected, and through which configured providers (decisions 5.2). */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { permit } from "../access/Access.ts"
import type { Caller } from "../access/Caller.ts"
import type { Forbidden } from "../failure/Failure.ts"
import type { Institution } from "../provider/Connect.ts"
import type { ProviderDriver } from "../provider/Provider.ts"
import { failureOf, ProviderUnavailable, type ProviderError } from "../provider/ProviderError.ts"
import { Providers } from "../provider/Providers.ts"
import type { SyncDataType } from "../record/DataType.ts"
import { limits } from "../shared/Limits.ts"
import * as Timestamp from "../shared/Timestamp.ts"
import { flowOfDriver } from "./ConnectFlow.ts"
import { countriesOf } from "./ConnectionRequest.ts"
import { KnownInstitutions } from "./InstitutionNames.ts"
import { institutionRank } from "./InstitutionRank.ts"

export interface InstitutionSearch {
  readonly query: string
  /** Two letters each, capital or small; empty: all countries. */
  readonly countryCodes: ReadonlyArray<string>
  /** Only this instance. */
  readonly providerInstanceId?: string
}

export interface FoundInstitution extends Institution {
  readonly provider: string
  readonly providerInstanceId: string
}

export const providerResultStatuses = [
  "ok",
  "rate_limited",
  "failed",
  "skipped_unsupported_country",
  "skipped_unsupported_capability",
  "skipped_excluded"
] as const

/** What became of the search at one instance. */
export interface ProviderResult {
  readonly id: string
  readonly status: (typeof providerResultStatuses)[number]
  /** Institutions that it added. */
  readonly contributed: number
  /** A sentence of ours. */
  readonly error?: string
  readonly providerErrorCode?: string
  /** When it can be asked again. */
  readonly retryAfter?: Timestamp.Timestamp
}

export interface FoundInstitutions {
  /** Best match first. */
  readonly institutions: ReadonlyArray<FoundInstitution>
  readonly providers: ReadonlyArray<ProviderResult>
}

/** A configured instance of a provider. */
export interface ProviderInstance {
  readonly id: string
  readonly provider: string
  readonly name: string
  readonly countryCodes: ReadonlyArray<string>
  readonly flow: string
  readonly dataTypes: ReadonlyArray<SyncDataType>
  readonly historyDays: number
  readonly webhooks: boolean
  readonly available: boolean
  /** The fields of a request to start a connection that it reads, besides those that all do. */
  readonly connectOptions: ReadonlyArray<string>
}

/** Time for one provider; the others are not held up by it. */
const patience = "8 seconds"
const tooSlow = new ProviderUnavailable({ message: "The provider did not answer in time", retryAfter: 30 })

const instanceOf = (driver: ProviderDriver): ProviderInstance => {
  const { capabilities, connectOptions, countryCodes, instanceId, kind, name } = driver
  const days = Object.values(capabilities.dataTypes).map(({ historyDays }) => historyDays)
  return {
    id: instanceId,
    provider: kind,
    name,
    countryCodes,
    flow: flowOfDriver(driver),
    dataTypes: ["balances", ...(Object.keys(capabilities.dataTypes) as ReadonlyArray<SyncDataType>)],
    historyDays: Math.max(0, ...days),
    webhooks: capabilities.webhooks,
    available: true,
    connectOptions: connectOptions?.fields ?? []
  }
}

const skipped = (driver: ProviderDriver, { countryCodes, providerInstanceId }: InstitutionSearch) => {
  if (providerInstanceId !== undefined && driver.instanceId !== providerInstanceId) return "skipped_excluded"
  // A provider that names no countries may have banks in any.
  const foreign =
    countryCodes.length > 0 &&
    driver.countryCodes.length > 0 &&
    !countryCodes.some((code) => driver.countryCodes.includes(code))
  return foreign ? "skipped_unsupported_country" : undefined
}

const found = ({ instanceId, kind }: ProviderDriver, all: ReadonlyArray<Institution>, search: InstitutionSearch) =>
  all
    .flatMap((institution) => {
      const rank = institutionRank(institution.name, search.query)
      const there =
        search.countryCodes.length === 0 ||
        institution.countryCodes.length === 0 ||
        search.countryCodes.some((code) => institution.countryCodes.includes(code))
      return rank === undefined || !there
        ? []
        : [{ rank, institution: { ...institution, provider: kind, providerInstanceId: instanceId } }]
    })
    .toSorted(byRank)
    .slice(0, limits.institutionsPerProvider)

export class Institutions extends Context.Service<
  Institutions,
  {
    /**
     * Searches all configured providers at once, at most `limits.institutionsPerProvider` of each. One that cannot answer
     * is reported under `providers`, and never fails the search.
     */
    readonly search: (caller: Caller, search: InstitutionSearch) => Effect.Effect<FoundInstitutions, Forbidden>
    readonly providers: (caller: Caller) => Effect.Effect<ReadonlyArray<ProviderInstance>, Forbidden>
  }
>()("@millrace/core/bank/Institutions") {
  static readonly layer: Layer.Layer<Institutions, never, Providers> = Layer.effect(
    Institutions,
    Effect.gen(function* () {
      const { all: drivers } = yield* Providers
      const names = yield* KnownInstitutions
      const failed = Effect.fnUntraced(function* (
        driver: ProviderDriver,
        error: ProviderError
      ): Effect.fn.Return<ProviderResult> {
        const { recovery } = failureOf(error)
        const now = Timestamp.toMillis(yield* Timestamp.now)
        return {
          id: driver.instanceId,
          status: error._tag === "RateLimited" ? "rate_limited" : "failed",
          contributed: 0,
          error: error.message,
          ...(error.providerCode === undefined ? {} : { providerErrorCode: error.providerCode }),
          ...(recovery?.action === "retry"
            ? { retryAfter: Timestamp.fromMillis(now + recovery.afterSeconds * 1000) }
            : {})
        }
      })

      const searchOne = Effect.fnUntraced(function* (
        driver: ProviderDriver,
        search: InstitutionSearch
      ): Effect.fn.Return<{ readonly result: ProviderResult; readonly ranked: ReadonlyArray<Ranked> }> {
        const skip = skipped(driver, search)
        if (skip !== undefined) return { result: { id: driver.instanceId, status: skip, contributed: 0 }, ranked: [] }
        const { countryCodes, query: text } = search
        const asked = driver
          .listInstitutions({ text, countryCodes, limit: limits.institutionsPerProvider })
          .pipe(Effect.timeoutOrElse({ duration: patience, orElse: () => Effect.fail(tooSlow) }), Effect.result)
        const answer = yield* asked
        if (Result.isFailure(answer)) return { result: yield* failed(driver, answer.failure), ranked: [] }
        const ranked = found(driver, answer.success, search)
        names.learn(
          driver.instanceId,
          ranked.map(({ institution }) => institution)
        )
        return { result: { id: driver.instanceId, status: "ok", contributed: ranked.length }, ranked }
      })

      return Institutions.of({
        search: Effect.fn("Institutions.search")(function* (caller, asked) {
          yield* permit(caller, "searchInstitutions")
          const search = { ...asked, countryCodes: countriesOf(asked.countryCodes) }
          const each = yield* Effect.forEach(drivers, (driver) => searchOne(driver, search), { concurrency: 8 })
          return {
            institutions: each
              .flatMap(({ ranked }) => ranked)
              .toSorted(byRank)
              .map(({ institution }) => institution),
            providers: each.map(({ result }) => result)
          }
        }),
        providers: Effect.fn("Institutions.providers")(function* (caller) {
          yield* permit(caller, "listProviders")
          return drivers.map(instanceOf)
        })
      })
    })
  )
}

interface Ranked {
  readonly rank: number
  readonly institution: FoundInstitution
}

const byRank = (a: Ranked, b: Ranked): number =>
  a.rank - b.rank ||
  (a.institution.name < b.institution.name ? -1 : a.institution.name > b.institution.name ? 1 : 0) ||
  (a.institution.providerInstanceId < b.institution.providerInstanceId ? -1 : 1)
