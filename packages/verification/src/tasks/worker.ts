/** A process that runs tasks until it is killed. What it needs is in `TASK_WORKER`, as JSON. */
import { PostgresStorage } from "@millrace/adapters/postgres"
import { AesSecrets } from "@millrace/adapters/secrets"
import { Ids } from "@millrace/core"
import { TaskKinds, TaskLease, Tasks } from "@millrace/core/task"
import { TaskRunner } from "@millrace/jobs"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { client } from "../postgres/TestPostgres.ts"
import { killedWork } from "./KilledWork.ts"
import type { WorkerPlace } from "./TaskWorkers.ts"

const place = JSON.parse(process.env["TASK_WORKER"] ?? "{}") as WorkerPlace
const work = killedWork(place.file)

const layer = TaskRunner.layer({ name: place.name }).pipe(
  Layer.provide(
    TaskKinds.layer(
      Effect.map(work, ({ inside }) => inside),
      Effect.map(work, ({ outside }) => outside),
      Effect.map(work, ({ keyed }) => keyed)
    )
  ),
  Layer.provide(Tasks.layer),
  Layer.provide(Ids.layer),
  Layer.provide(PostgresStorage.layer),
  Layer.provide(AesSecrets.layer({ key: Redacted.make(Buffer.alloc(32, 7).toString("base64")) })),
  Layer.provide(Layer.succeed(TaskLease, place.lease)),
  Layer.provide(client(place, place.database, 30))
)

await Effect.runPromise(
  Effect.sync(() => void process.stdout.write("Running\n")).pipe(Effect.andThen(Effect.never), Effect.provide(layer))
)
