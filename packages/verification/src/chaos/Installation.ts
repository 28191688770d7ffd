/** Everything that a scenario works on: a durable PostgreSQL, workers, banks and destinations outside of them. */
import { randomBytes } from "node:crypto"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Seeded } from "@millrace/testing/model"
import type { PostgresServer } from "../postgres/PostgresServer.ts"
import { makeServerDatabase, type ServerDatabase } from "../postgres/ServerDatabase.ts"
import { ApiClient } from "./ApiClient.ts"
import { type BankServer, startBank } from "./BankServer.ts"
import { type DestinationServer, startDestination } from "./DestinationServer.ts"
import { Fleet } from "./Fleet.ts"
import { OperationLog } from "./OperationLog.ts"
import type { FileModel } from "./WorkerAdapters.ts"
import { found, type World } from "./World.ts"

/** Seconds of the lease of a job: short, so that a lost worker is noticed soon. */
export const lease = 2

/**
 * Seconds of the lease where workers end in order: so long that on no machine a heartbeat is late by it. A job that
 * another worker has to wait for was not given back.
 */
export const patientLease = 30

export interface InstallationOptions {
  readonly postgres: PostgresServer
  readonly random: Seeded
  readonly model: FileModel
  readonly workers: number
  /** Banks to begin with, of that many rows. */
  readonly banks: number
  readonly rows: number
  /** Seconds of the lease of a job; \`lease\` unless given. */
  readonly lease?: number
  /** More settings of the worker of that number, from 0. */
  readonly environment?: (n: number) => Readonly<Record<string, string>>
}

export interface Installation {
  readonly postgres: PostgresServer
  readonly database: ServerDatabase
  readonly bank: BankServer
  readonly destination: DestinationServer
  readonly world: World
  readonly fleet: Fleet
  readonly log: OperationLog
  readonly client: ApiClient
  readonly random: Seeded
  readonly model: FileModel
  readonly end: () => Promise<void>
}

export const install = async (options: InstallationOptions): Promise<Installation> => {
  const { model, postgres, random } = options
  const folder = await mkdtemp(join(tmpdir(), "millrace-chaos-"))
  const secret = randomBytes(32).toString("base64")
  const database = await makeServerDatabase(postgres)
  const bank = await startBank()
  const destination = await startDestination()
  const common = { databaseUrl: database.url, folder, secret }
  const remotes = { bankUrl: bank.url, destinationUrl: destination.url, model }
  const fleet = await Fleet.start({
    ...common,
    ...remotes,
    workers: options.workers,
    lease: options.lease ?? lease,
    slots: 4,
    ...(options.environment === undefined ? {} : { environment: options.environment })
  })
  const world = await found({ ...common, bank, worker: { ...remotes, name: "harness" }, random })
  await world.addBanks(options.banks, options.rows)
  const log = new OperationLog()
  const client = new ApiClient({ fleet, apiKey: world.apiKey, log, random })
  return {
    postgres,
    database,
    bank,
    destination,
    world,
    fleet,
    log,
    client,
    random,
    model,
    end: async () => {
      await fleet.end()
      await bank.close()
      await destination.close()
      await database.drop()
      await rm(folder, { recursive: true, force: true })
    }
  }
}
