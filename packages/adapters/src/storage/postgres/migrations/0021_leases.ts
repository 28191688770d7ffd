/** Leases of any resource, of which those of banks are some. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"

export const leases = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`create sequence lease_epoch`
  yield* sql`create table lease (
    resource key_text primary key,
    holder key_text not null,
    -- Never given twice, not even to a resource whose lease was forgotten meanwhile.
    epoch bigint not null default nextval('lease_epoch'),
    expires_at timestamptz not null
  )`
  yield* sql`create index lease_holder on lease (holder)`
  yield* sql`insert into lease (resource, holder, expires_at) select 'bank:' || bank_id, holder, expires_at from bank_lease`
  yield* sql`drop table bank_lease`
})
