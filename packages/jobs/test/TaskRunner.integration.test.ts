import { layer as aesSecrets } from "@millrace/adapters/secrets/AesSecrets"
import { layer as storage } from "@millrace/adapters/storage/postgres/PostgresStorage"
import { layer as database } from "@millrace/verification/postgres/TestPostgres"
import { suite } from "@millrace/testing/suite/TaskRunnerSuite"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { inject } from "vitest"
import { TaskRunner } from "../src/TaskRunner.ts"

const secrets = aesSecrets({ key: Redacted.make(Buffer.alloc(32, 7).toString("base64")) })

suite(
  "tasks on PostgreSQL",
  storage.pipe(Layer.provide(secrets), Layer.provide(database(inject("postgres")))),
  Layer.effectDiscard(TaskRunner).pipe(Layer.provide(TaskRunner.layer())),
  { liveClock: true }
)
