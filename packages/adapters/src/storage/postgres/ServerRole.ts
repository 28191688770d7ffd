/**
 * The role in which a server works: it owns nothing, so it cannot take the wall between workspaces down, and the wall
 * holds for it. Superusers, and roles that bypass row security, see every row whatever a policy says.
 */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { DatabaseUnfit } from "./DatabaseCheck.ts"
import { schemaName } from "./Schema.ts"
import { inTransaction } from "./SqlFailure.ts"
import { everyWorkspace, workspacesSetting } from "./RowLevelSecurity.ts"

export const serverRole = "millrace_server"

/** Tables that functions of the owner write: the role may read them and nothing else. */
export const readOnlyTables: ReadonlyArray<string> = ["audit_chain", "audit_entry"]

interface Standing {
  readonly name: string
  readonly super: boolean
  readonly bypasses: boolean
  readonly mayMake: boolean
  readonly owns: boolean
  readonly exists: boolean
  /** The role itself is one for which no wall holds. */
  readonly unfit: boolean
  readonly mayBecome: boolean
  readonly mayGive: boolean
  readonly lacks: boolean
  /** It may write what only functions of the owner write. */
  readonly exceeds: boolean
}

const standing = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<Standing>`select own.rolname as name, own.rolsuper as super, own.rolbypassrls as bypasses,
      own.rolsuper or own.rolcreaterole as "mayMake",
      not exists (select from pg_class where relnamespace = ${schemaName}::regnamespace and relkind = 'r'
        and not pg_has_role(relowner, 'USAGE')) as owns,
      role.oid is not null as exists,
      coalesce(role.rolsuper or role.rolbypassrls, false) as unfit,
      role.oid is not null and pg_has_role(own.oid, role.oid, 'SET') as "mayBecome",
      role.oid is not null and (own.rolsuper or pg_has_role(own.oid, role.oid, 'MEMBER WITH ADMIN OPTION')) as "mayGive",
      role.oid is not null and (not has_schema_privilege(role.oid, ${schemaName}, 'USAGE')
        or not has_schema_privilege(role.oid, ${schemaName}, 'CREATE')
        or exists (select from pg_class where relnamespace = ${schemaName}::regnamespace and relkind = 'r'
          and not (has_table_privilege(role.oid, oid, 'SELECT') and (relname = any(${readOnlyTables}::text[])
            or (has_table_privilege(role.oid, oid, 'INSERT') and has_table_privilege(role.oid, oid, 'UPDATE')
              and has_table_privilege(role.oid, oid, 'DELETE')))))
        or exists (select from pg_class where relnamespace = ${schemaName}::regnamespace
          and case when relkind = 'S' then not has_sequence_privilege(role.oid, oid, 'USAGE') end)) as lacks,
      role.oid is not null and exists (select from pg_class where relnamespace = ${schemaName}::regnamespace
        and relname = any(${readOnlyTables}::text[])
        and has_table_privilege(role.oid, oid, 'INSERT, UPDATE, DELETE, TRUNCATE')) as exceeds
    from pg_roles own left join pg_roles role on role.rolname = ${serverRole} where own.rolname = current_user`
  return row!
})

const sees = "sees the rows of all workspaces whatever the database keeps apart"

const refuse = ({ exists, name, unfit }: Standing) =>
  new DatabaseUnfit({
    message: unfit
      ? `The role ${serverRole} is a superuser or bypasses row security, and so ${sees}. As a superuser: ` +
        `alter role ${serverRole} nosuperuser nobypassrls`
      : `The user "${name}" ${sees}. Name another one, or as a superuser: ` +
        `${exists ? "" : `create role ${serverRole} nologin; `}grant ${serverRole} to "${name}"`
  })

/**
 * Makes the role where the user may, and gives it what a server needs; in the transaction that has brought the schema up
 * to date. A user who may not, and for whom the wall holds, goes on as itself.
 */
export const prepareServerRole = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  let found = yield* standing
  // Anyone who owns nothing here was given what they need by somebody else.
  if (!found.owns) return
  if (!found.exists && found.mayMake) {
    // Another installation of the same server may make it at this moment.
    yield* sql.unsafe(`do $$ begin
        create role ${serverRole} nologin nosuperuser nobypassrls nocreatedb nocreaterole;
      exception when duplicate_object or unique_violation then null; end $$`)
    found = yield* standing
  }
  if (!found.exists) return
  if (!found.mayBecome && found.mayGive) {
    yield* sql.unsafe(`grant ${serverRole} to current_user with inherit true, set true`)
  }
  if (found.lacks) {
    yield* sql.unsafe(`grant usage, create on schema ${schemaName} to ${serverRole}`)
    yield* sql.unsafe(`grant select, insert, update, delete on all tables in schema ${schemaName} to ${serverRole}`)
    yield* sql.unsafe(`grant usage, select, update on all sequences in schema ${schemaName} to ${serverRole}`)
  }
  if (found.lacks || found.exceeds) {
    const tables = readOnlyTables.map((name) => `${schemaName}.${name}`).join(", ")
    yield* sql.unsafe(`revoke insert, update, delete, truncate on ${tables} from ${serverRole}`)
  }
})

/** Whether a connection keeps what it begins with: a pooler in between may drop that. */
export const keepsStartup = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly said: string | null }>`select current_setting(${workspacesSetting}, true) as said`
  return row!.said === everyWorkspace
})

/** Refuses connections for which no wall holds, whatever they were asked to begin with. */
export const checkRowLevelSecurity = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly name: string; readonly holds: boolean }>`select current_user::text as name,
    row_security_active('workspace') as holds`
  if (row!.holds) return
  return yield* new DatabaseUnfit({
    message:
      `The user "${row!.name}" ${sees}: something in between drops the startup parameter role. Let it pass, or let the ` +
      `database set it: alter role "${row!.name}" in database ... set role = ${serverRole}`
  })
})

/**
 * The role for the connections of a server: undefined where its user works as itself, since the wall holds for it.
 * Refuses a user for whom none holds and who has no role to become.
 */
export const chooseServerRole = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const found = yield* inTransaction(sql)(standing)
  if (found.unfit) return yield* refuse(found)
  if (found.mayBecome && !found.lacks) return serverRole
  return found.super || found.bypasses ? yield* refuse(found) : undefined
})
