/** What is remembered about the identity of records, in PostgreSQL. */
import { fullTrust, type IdentityFact, type LearntText } from "@millrace/core/identity"
import { type Alias, IdentityStore, type LogQuery, type RecordScope } from "@millrace/core/storage"
import { limits } from "@millrace/core"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { instant, json, nullable } from "./Column.ts"
import { toFact, toMatch, toSuggestion, type FactRow, type MatchRow, type SuggestionRow } from "./IdentityRows.ts"
import { inScope } from "./RecordRows.ts"
import { inTransaction, stored, storedInBulk } from "./SqlFailure.ts"
import { textColumns } from "./TextColumns.ts"

interface RecallRow {
  readonly now: Date
  readonly trust: { readonly contradictions: ReadonlyArray<number>; readonly demoted: boolean } | null
  readonly learnt: ReadonlyArray<LearntText> | null
  readonly has_aliases: boolean
  readonly has_facts: boolean
}

const pageOf = (sql: SqlClient.SqlClient, scope: RecordScope, query: LogQuery<string, string>): Fragment => {
  const { before, ids, limit, recordId, state } = query
  const conditions = sql.and([
    inScope(sql, scope),
    ...(ids === undefined ? [] : [sql`id = any(${[...ids]}::text[])`]),
    ...(recordId === undefined ? [] : [sql`record_id = ${recordId}`]),
    ...(state === undefined ? [] : [sql`state = ${state}`]),
    ...(before === undefined ? [] : [sql`id < ${before}`])
  ])
  return sql`${conditions} order by id desc limit ${limit}`
}

const jsonOf = (value: unknown): string => (value === undefined ? "" : JSON.stringify(value))

/** Its plan depends on no table, so it may be prepared. */
const logStatement = `insert into record_match (id, workspace_id, account_id, data_type, record_id, version_before,
    separate_id, second_source, job_id, state, before, observed, evidence, coverage, decided_by, decided_at, made_at)
  select m.id, m.workspace_id, m.account_id, m.data_type, m.record_id, m.version_before::int, m.separate_id,
    m.second_source::boolean, m.job_id, m.state, m.before::json, m.observed::json, m.evidence::json, m.coverage::json,
    m.decided_by::json, m.decided_at::timestamptz, store_now()
  from unnest(${[2, 3, 4, 5, 6, 7].map((n) => `string_to_array($${n}, $1)`).join(", ")},
    string_to_array($8, $1, ''), string_to_array($9, $1), string_to_array($10, $1, ''), string_to_array($11, $1),
    string_to_array($12, $1), string_to_array($13, $1),
    ${[14, 15, 16, 17].map((n) => `string_to_array($${n}, $1, '')`).join(", ")})
    as m(id, workspace_id, account_id, data_type, record_id, version_before, separate_id, second_source, job_id, state,
      before, observed, evidence, coverage, decided_by, decided_at)`

/** What is remembered of accounts. */
const remembering = ["id_trust", "learnt_text", "record_alias", "record_match", "record_suggestion", "identity_fact"]

export const layer: Layer.Layer<IdentityStore, never, SqlClient.SqlClient> = Layer.effect(
  IdentityStore,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const factsOf = Effect.fnUntraced(function* (scope: RecordScope) {
      const rows = yield* sql<FactRow>`select * from identity_fact where ${inScope(sql, scope)} and lifted_at is null`
      return rows.map(toFact)
    })

    const putAliases = Effect.fnUntraced(function* (scope: RecordScope, aliases: ReadonlyArray<Alias>) {
      const { separator, texts } = yield* textColumns(
        [aliases.map(({ providerId }) => providerId), aliases.map(({ recordId }) => recordId)],
        []
      )
      // In the order given: the number tells which id a record had later.
      yield* sql`insert into record_alias (workspace_id, account_id, data_type, provider_id, record_id, last_seen)
        select ${scope.workspaceId}, ${scope.accountId}, ${scope.dataType}, a.provider_id, a.record_id, store_now()
        from unnest(string_to_array(${texts[0]}, ${separator}), string_to_array(${texts[1]}, ${separator}))
          with ordinality as a(provider_id, record_id, n) order by a.n
        on conflict (account_id, data_type, provider_id) do update set record_id = excluded.record_id,
          last_seen = excluded.last_seen, seq = default`.unprepared
      yield* sql`delete from record_alias d using (
          select provider_id, row_number() over (partition by record_id order by last_seen desc, seq desc) as n
          from record_alias where ${inScope(sql, scope)}
            and record_id = any(string_to_array(${texts[1]}, ${separator}))
        ) old
        where d.account_id = ${scope.accountId} and d.data_type = ${scope.dataType}
          and d.provider_id = old.provider_id and old.n > ${limits.aliasesPerRecord}`.unprepared
    })

    return IdentityStore.of({
      recall: Effect.fn("IdentityStore.recall")(function* (scope) {
        const rows = yield* stored(sql<RecallRow>`select store_now()::timestamptz(3) as now,
            (select json_build_object('contradictions', contradictions, 'demoted', demoted) from id_trust
              where account_id = ${scope.accountId} and data_type = ${scope.dataType}
                and workspace_id = ${scope.workspaceId}) as trust,
            (select texts from learnt_text where account_id = ${scope.accountId} and data_type = ${scope.dataType}
                and workspace_id = ${scope.workspaceId}) as learnt,
            exists (select from record_alias where ${inScope(sql, scope)}) as has_aliases,
            exists (select from identity_fact where ${inScope(sql, scope)} and lifted_at is null
              and kind <> 'delete') as has_facts`)
        const { has_aliases, has_facts, learnt, now, trust } = rows[0]!
        return {
          now: instant(now),
          trust: trust ?? fullTrust,
          learnt: learnt ?? [],
          hasAliases: has_aliases,
          facts: has_facts ? (yield* stored(factsOf(scope))).filter(({ kind }) => kind !== "delete") : []
        }
      }),
      setTrust: Effect.fn("IdentityStore.setTrust")(function* (scope, { contradictions, demoted }) {
        yield* stored(sql`insert into id_trust (workspace_id, account_id, data_type, contradictions, demoted)
          values (${scope.workspaceId}, ${scope.accountId}, ${scope.dataType},
            string_to_array(${contradictions.join(",")}, ',')::int[], ${demoted})
          on conflict (account_id, data_type) do update set contradictions = excluded.contradictions,
            demoted = excluded.demoted`)
      }),
      setLearnt: Effect.fn("IdentityStore.setLearnt")(function* (scope, learnt) {
        yield* stored(sql`insert into learnt_text (workspace_id, account_id, data_type, texts)
          values (${scope.workspaceId}, ${scope.accountId}, ${scope.dataType}, ${json(learnt)})
          on conflict (account_id, data_type) do update set texts = excluded.texts`)
      }),
      forgetTrust: Effect.fn("IdentityStore.forgetTrust")(function* (workspaceId, accountIds) {
        if (accountIds.length === 0) return
        yield* stored(sql`delete from id_trust where workspace_id = ${workspaceId}
          and account_id = any(${[...accountIds]}::text[])`)
      }),
      forget: Effect.fn("IdentityStore.forget")(function* (workspaceId, accountId) {
        for (const table of remembering) {
          yield* storedInBulk(sql`delete from ${sql(table)}
            where account_id = ${accountId} and workspace_id = ${workspaceId}`)
        }
      }),

      aliases: Effect.fn("IdentityStore.aliases")(function* (scope, providerIds) {
        if (providerIds.length === 0) return new Map<string, string>()
        const rows = yield* storedInBulk(sql<{ readonly provider_id: string; readonly record_id: string }>`
          select provider_id, record_id from record_alias
          where ${inScope(sql, scope)} and provider_id = any(${[...providerIds]}::text[])`)
        return new Map(rows.map((row) => [row.provider_id, row.record_id]))
      }),
      aliasesOf: Effect.fn("IdentityStore.aliasesOf")(function* (scope, recordId) {
        const rows = yield* stored(sql<{ readonly provider_id: string; readonly last_seen: Date }>`
          select provider_id, last_seen from record_alias
          where ${inScope(sql, scope)} and record_id = ${recordId} order by last_seen desc, seq desc`)
        return rows.map((row) => ({ providerId: row.provider_id, recordId, lastSeen: instant(row.last_seen) }))
      }),
      formerIds: Effect.fn("IdentityStore.formerIds")(function* (scope, recordIds) {
        if (recordIds.length === 0) return new Map<string, ReadonlyArray<string>>()
        const rows = yield* stored(sql<{ readonly record_id: string; readonly provider_id: string }>`
          select record_id, provider_id from record_alias
          where ${inScope(sql, scope)} and record_id = any(${[...recordIds]}::text[]) order by last_seen, seq`)
        const found = Map.groupBy(rows, (row) => row.record_id)
        return new Map(Array.from(found, ([id, some]) => [id, some.map((row) => row.provider_id)]))
      }),
      addAliases: Effect.fn("IdentityStore.addAliases")(function* (scope, aliases) {
        if (aliases.length > 0) yield* inTransaction(sql)(putAliases(scope, aliases))
      }),
      moveAliases: Effect.fn("IdentityStore.moveAliases")(function* (scope, providerIds, to) {
        if (providerIds.length === 0) return
        yield* stored(sql`update record_alias set record_id = ${to}
          where ${inScope(sql, scope)} and provider_id = any(${[...providerIds]}::text[])`)
      }),

      handBack: Effect.fn("IdentityStore.handBack")(function* (scope, matches) {
        if (matches.length === 0) return
        const { separator, texts } = yield* textColumns(
          [
            matches.map(({ recordId }) => recordId),
            matches.map(({ separateId }) => separateId),
            matches.map(({ id }) => id),
            matches.map(({ at }) => at),
            matches.map(({ before }) => before.providerId)
          ],
          []
        )
        const given = sql`unnest(string_to_array(${texts[0]}, ${separator}), string_to_array(${texts[1]}, ${separator}),
          string_to_array(${texts[2]}, ${separator}), string_to_array(${texts[3]}, ${separator}),
          string_to_array(${texts[4]}, ${separator})) as m(record_id, separate_id, id, made_at, own)`
        yield* storedInBulk(sql`update record_alias a set record_id = m.separate_id from ${given}
          where a.account_id = ${scope.accountId} and a.data_type = ${scope.dataType}
            and a.workspace_id = ${scope.workspaceId} and a.record_id = m.record_id
            and a.last_seen >= m.made_at::timestamptz and a.provider_id <> coalesce(m.own, '')`)
        yield* storedInBulk(sql`update record_match r set record_id = m.separate_id from ${given}
          where r.account_id = ${scope.accountId} and r.data_type = ${scope.dataType}
            and r.workspace_id = ${scope.workspaceId} and r.record_id = m.record_id and r.id > m.id
            and r.id <> all (string_to_array(${texts[2]}, ${separator}))`)
      }),

      logMatches: Effect.fn("IdentityStore.logMatches")(function* (matches) {
        if (matches.length === 0) return
        const { separator, texts } = yield* textColumns(
          [
            matches.map(({ id }) => id),
            matches.map(({ workspaceId }) => workspaceId),
            matches.map(({ accountId }) => accountId),
            matches.map(({ dataType }) => dataType),
            matches.map(({ recordId }) => recordId),
            matches.map(({ versionBefore }) => String(versionBefore)),
            matches.map(({ separateId = "" }) => separateId),
            matches.map(({ secondSource = false }) => (secondSource ? "t" : "f")),
            matches.map(({ jobId = "" }) => jobId),
            matches.map(({ state }) => state)
          ],
          [
            matches.map(({ before }) => JSON.stringify(before)),
            matches.map(({ observed }) => JSON.stringify(observed)),
            matches.map(({ evidence }) => jsonOf(evidence)),
            matches.map(({ coverage }) => jsonOf(coverage)),
            matches.map(({ decided }) => jsonOf(decided?.by)),
            matches.map(({ decided }) => decided?.at ?? "")
          ]
        )
        yield* stored(sql.unsafe(logStatement, [separator, ...texts]))
      }),
      match: Effect.fn("IdentityStore.match")(function* (scope, id) {
        const rows = yield* stored(
          sql<MatchRow>`select * from record_match where ${inScope(sql, scope)} and id = ${id}`
        )
        return Arr.head(rows.map(toMatch))
      }),
      matches: Effect.fn("IdentityStore.matches")(function* (scope, query) {
        const rows = yield* storedInBulk(sql<MatchRow>`select * from record_match where ${pageOf(sql, scope, query)}`)
        return rows.map(toMatch)
      }),
      setMatch: Effect.fn("IdentityStore.setMatch")(function* ({
        accountId,
        before,
        decided,
        id,
        observed,
        recordId,
        separateId,
        state
      }) {
        yield* stored(sql`update record_match set record_id = ${recordId}, state = ${state},
            before = ${json(before)}, observed = ${json(observed)},
            separate_id = ${nullable(separateId)}, decided_by = ${json(decided?.by)},
            decided_at = ${nullable(decided?.at)}
          where account_id = ${accountId} and id = ${id}`)
      }),

      suggest: Effect.fn("IdentityStore.suggest")(function* (suggestions) {
        if (suggestions.length === 0) return
        const { separator, texts } = yield* textColumns([], [suggestions.map((one) => JSON.stringify(one))])
        yield* storedInBulk(sql`insert into record_suggestion (id, workspace_id, account_id, data_type, record_id,
            observed_id, evidence, job_id, made_at, state)
          select s->>'id', s->>'workspaceId', s->>'accountId', s->>'dataType', s->>'recordId', s->>'observedId',
            s->'evidence', s->>'jobId', store_now(), 'open'
          from (select n::json as s from unnest(string_to_array(${texts[0]}, ${separator})) as n) as given
          on conflict (account_id, data_type, record_id, observed_id) do nothing`)
      }),
      suggestion: Effect.fn("IdentityStore.suggestion")(function* (scope, id) {
        const rows = yield* stored(sql<SuggestionRow>`select * from record_suggestion
          where ${inScope(sql, scope)} and id = ${id}`)
        return Arr.head(rows.map(toSuggestion))
      }),
      suggestions: Effect.fn("IdentityStore.suggestions")(function* (scope, query) {
        const rows = yield* stored(
          sql<SuggestionRow>`select * from record_suggestion where ${pageOf(sql, scope, query)}`
        )
        return rows.map(toSuggestion)
      }),
      decideSuggestion: Effect.fn("IdentityStore.decideSuggestion")(function* ({ accountId, id }, state, decided) {
        yield* stored(sql`update record_suggestion set state = ${state}, decided_by = ${json(decided?.by)},
            decided_at = ${nullable(decided?.at)}
          where account_id = ${accountId} and id = ${id}`)
      }),

      facts: Effect.fn("IdentityStore.facts")((scope) => stored(factsOf(scope))),
      addFact: Effect.fn("IdentityStore.addFact")(function* (fact: IdentityFact) {
        yield* stored(sql`insert into identity_fact (id, workspace_id, account_id, data_type, kind, record_id, known_by,
            other_id, other_known_by, made_by, made_at, lifted_by, lifted_at)
          values (${fact.id}, ${fact.workspaceId}, ${fact.accountId}, ${fact.dataType}, ${fact.kind}, ${fact.recordId},
            ${json(fact.key)}, ${nullable(fact.otherId)}, ${json(fact.otherKey)}, ${json(fact.by)}, ${fact.at},
            ${json(fact.lifted?.by)}, ${nullable(fact.lifted?.at)})`)
      }),
      liftFacts: Effect.fn("IdentityStore.liftFacts")(function* (accountId, ids, { at, by }) {
        if (ids.length === 0) return
        yield* stored(sql`update identity_fact set lifted_by = ${json(by)}, lifted_at = ${at}
          where account_id = ${accountId} and id = any(${[...ids]}::text[]) and lifted_at is null`)
      }),
      countFacts: Effect.fn("IdentityStore.countFacts")(function* (workspaceId) {
        const rows = yield* stored(sql<{ readonly n: number }>`select count(*)::int as n from identity_fact
          where workspace_id = ${workspaceId} and lifted_at is null`)
        return rows[0]!.n
      }),

      purge: Effect.fn("IdentityStore.purge")(function* (limit) {
        const rows = yield* stored(sql<{ readonly n: number }>`with old_aliases as (
            delete from record_alias where (account_id, data_type, provider_id) in (
              select account_id, data_type, provider_id from record_alias a
              where last_seen < store_now() - make_interval(days => ${limits.aliasDays}) and not exists (
                select from identity_fact f where f.account_id = a.account_id and f.data_type = a.data_type
                  and f.lifted_at is null and f.kind = 'delete' and f.record_id = a.record_id)
              limit ${limit}) returning 1
          ), old_matches as (
            delete from record_match where id in (
              select id from record_match where made_at < store_now() - make_interval(days => ${limits.matchDays})
              limit ${limit}) returning 1
          ), old_suggestions as (
            delete from record_suggestion where id in (
              select id from record_suggestion
              where made_at < store_now() - make_interval(days => ${limits.matchDays})
              limit ${limit}) returning 1
          )
          select ((select count(*) from old_aliases) + (select count(*) from old_matches)
            + (select count(*) from old_suggestions))::int as n`)
        return rows[0]!.n
      })
    })
  })
)
