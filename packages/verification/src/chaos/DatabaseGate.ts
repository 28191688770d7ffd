/** A place inside transactions where they can be held: after they have written to a table. */
import { setTimeout as wait } from "node:timers/promises"
import type { ServerDatabase } from "../postgres/ServerDatabase.ts"

const patienceMillis = 300_000

export class DatabaseGate {
  /** When a transaction has come to be held. */
  readonly first: Promise<void>
  private readonly database: ServerDatabase

  private constructor(database: ServerDatabase) {
    this.database = database
    this.first = this.untilHeld()
  }

  /** Holds every transaction that writes to the table, from now on. */
  static async close(database: ServerDatabase, table: "record" | "delivery"): Promise<DatabaseGate> {
    await database.query(`create table if not exists chaos_gate (closed boolean)`)
    // The role of the servers may not read the gate.
    await database.query(
      `create or replace function chaos_gate() returns trigger language plpgsql
       security definer set search_path from current as $$
       begin
         while exists (select from chaos_gate) loop perform pg_sleep(0.01); end loop;
         return null;
       end $$`
    )
    await database.query(`insert into chaos_gate values (true)`)
    await database.query(
      `create or replace trigger chaos_gate after insert or update on ${table} for each statement execute function chaos_gate()`
    )
    return new DatabaseGate(database)
  }

  private async untilHeld(): Promise<void> {
    const until = performance.now() + patienceMillis
    while (performance.now() < until) {
      const held = await this.database.query(
        `select pid from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`
      )
      if (held.length > 0) return
      await wait(20)
    }
    throw new Error("No transaction came to the gate")
  }

  /** Lets them go on, and holds no more. */
  readonly open = async (): Promise<void> => {
    await this.database.query(`delete from chaos_gate`)
  }
}
