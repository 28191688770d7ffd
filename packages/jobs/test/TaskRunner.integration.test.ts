import { AesSecrets } from "@millrace/adapters/secrets"
import { PostgresStorage } from "@millrace/adapters/postgres"
import { layer as database } from "@millrace/verification/postgres/TestPostgres"
import { TaskRunnerSuite } from "@millrace/testing/suite/job"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { inject } from "vitest"
import { TaskRunner } from "../src/TaskRunner.ts"

const { layer: aesSecrets } = AesSecrets
const { layer: storage } = PostgresStorage

const secrets = aesSecrets({ key: Redacted.make(Buffer.alloc(32, 7).toString("base64")) })

TaskRunnerSuite.suite(
  "tasks on PostgreSQL",
  storage.pipe(Layer.provide(secrets), Layer.provide(database(inject("postgres")))),
  Layer.effectDiscard(TaskRunner).pipe(Layer.provide(TaskRunner.layer())),
  { liveClock: true }
)
