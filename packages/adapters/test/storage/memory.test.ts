import * as MemoryStorage from "@millrace/adapters/storage/memory/MemoryStorage"
import * as JobDispatchSuite from "@millrace/testing/suite/JobDispatchSuite"
import * as StorageSuite from "@millrace/testing/suite/StorageSuite"
import { StoreClock } from "@millrace/testing/suite/StorageTests"
import * as UpstreamBudgetSuite from "@millrace/testing/suite/UpstreamBudgetSuite"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"

const clock = Layer.succeed(StoreClock, { pass: (seconds) => TestClock.adjust(seconds * 1000) })

StorageSuite.suite("memory", Layer.merge(MemoryStorage.layer, clock))
JobDispatchSuite.suite("memory: handing out jobs", Layer.merge(MemoryStorage.layer, clock))
UpstreamBudgetSuite.suite("memory: budgets of providers", Layer.merge(MemoryStorage.layer, clock))
