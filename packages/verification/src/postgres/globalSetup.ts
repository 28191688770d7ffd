/** Starts the PostgreSQL server of a test run, once, and ends it with the run. */
import type { TestProject } from "vitest/node"
import { migrateTemplate } from "./TestPostgres.ts"
import { type PostgresAddress, startPostgres } from "./PostgresServer.ts"

declare module "vitest" {
  export interface ProvidedContext {
    readonly postgres: PostgresAddress
  }
}

/** What only a crash needs: nothing of this server outlives the run. */
const brief = {
  full_page_writes: "off",
  max_wal_senders: "0",
  synchronous_commit: "off",
  wal_compression: "off",
  wal_level: "minimal"
}

const setup = async (project: TestProject): Promise<() => Promise<void>> => {
  const { password, port, stop, username } = await startPostgres({
    durable: false,
    // Tests of one file run side by side, each with clients of its own.
    settings: { ...brief, max_connections: "300" }
  })
  const address = { password, port, username }
  try {
    await migrateTemplate(address)
  } catch (cause) {
    await stop()
    throw cause
  }
  project.provide("postgres", address)
  return stop
}

export default setup
