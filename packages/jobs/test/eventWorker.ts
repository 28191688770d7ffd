/**
 * A process that delivers events of the database `DATABASE_URL` to two consumers: one writes a line for each to the file
 * `DELIVERY_LOG`, the other one tells an event of its own in the same transaction. It prints a line when it works.
 */
import { appendFileSync } from "node:fs"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { NodeDigest } from "@millrace/adapters"
import { AesSecrets } from "@millrace/adapters/secrets"
import { PostgresStorage, serverRole, startupParameters, TenantClient } from "@millrace/adapters/postgres"
import { Events } from "@millrace/core/event"
import { EventStore } from "@millrace/core/storage"
import { Ids } from "@millrace/core"
import { TaskLease } from "@millrace/core/task"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { deliveries } from "./deliveries.ts"

const env = (name: string): string => process.env[name] ?? ""

// As a server has it: in its role, behind the wall between workspaces.
const database = TenantClient.layer({
  url: Redacted.make(env("DATABASE_URL")),
  maxConnections: 4,
  acrossConnections: 4,
  direct: true,
  startupParameters: { ...startupParameters, role: serverRole }
})

const services = Events.layer.pipe(
  Layer.provideMerge(
    Layer.mergeAll(
      PostgresStorage.layer.pipe(
        Layer.provide(AesSecrets.layer({ key: Redacted.make(Buffer.alloc(32, 7).toString("base64")) }))
      ),
      NodeDigest.layer,
      Ids.layer
    )
  ),
  Layer.provide(database),
  // What a killed process held is taken over soon.
  Layer.provideMerge(Layer.succeed(TaskLease, 1))
)

const program = Effect.gen(function* () {
  const store = yield* EventStore
  const working = deliveries(
    {
      name: "file",
      start: "beginning",
      effects: "outside",
      types: ["thing.happened"],
      handle: ({ data, sequence, subject, workspaceId }) =>
        Effect.andThen(
          Effect.sleep(1),
          Effect.sync(() =>
            appendFileSync(
              env("DELIVERY_LOG"),
              `${JSON.stringify({ workspaceId, sequence, subject: subject.id, data })}\n`
            )
          )
        )
    },
    {
      name: "echo",
      start: "beginning",
      effects: "transaction",
      types: ["thing.happened"],
      handle: ({ cause, data, sequence, subject, workspaceId }) =>
        store.append([{ workspaceId, type: "thing.echoed", subject, cause, data: { of: sequence, data } }])
    }
  )
  return yield* Effect.gen(function* () {
    process.stdout.write("Delivering\n")
    return yield* Effect.never
  }).pipe(Effect.provide(working))
})

NodeRuntime.runMain(Effect.provide(program, services))
