import { layer as storage } from "@millrace/adapters/storage/memory/MemoryStorage"
import { suite } from "@millrace/testing/suite/TaskRunnerSuite"
import * as Layer from "effect/Layer"
import { TaskRunner } from "../src/TaskRunner.ts"

suite("tasks in memory", storage, Layer.effectDiscard(TaskRunner).pipe(Layer.provide(TaskRunner.layer())))
