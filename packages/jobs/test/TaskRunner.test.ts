import { MemoryStorage } from "@millrace/adapters/memory"
import { TaskRunnerSuite } from "@millrace/testing/suite/job"
import * as Layer from "effect/Layer"
import { TaskRunner } from "../src/TaskRunner.ts"

const { layer: storage } = MemoryStorage

TaskRunnerSuite.suite(
  "tasks in memory",
  storage,
  Layer.effectDiscard(TaskRunner).pipe(Layer.provide(TaskRunner.layer()))
)
