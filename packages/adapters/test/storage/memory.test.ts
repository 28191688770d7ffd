import * as MemoryStorage from "../../src/storage/memory/MemoryStorage.ts"
import { apiKeyResource } from "@millrace/core/access"
import { Resources } from "@millrace/core/resource"
import {
  AccountJoinStoreSuite,
  BankDataPurgeSuite,
  JobDispatchSuite,
  ResourceSuite,
  StorageSuite,
  StoreClock,
  RowLevelSecuritySuite
} from "@millrace/testing/suite/storage"
import { UpstreamBudgetSuite } from "@millrace/testing/suite/rate"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"

const clock = Layer.succeed(StoreClock, { pass: (seconds) => TestClock.adjust(seconds * 1000) })

StorageSuite.suite("memory", Layer.merge(MemoryStorage.layer, clock))
ResourceSuite.suite(
  "memory: plain things with keys",
  ResourceSuite.keyedTestsOf(
    apiKeyResource,
    Effect.map(Resources, ({ openKeyed }) => openKeyed(apiKeyResource))
  ),
  MemoryStorage.layer
)
JobDispatchSuite.suite("memory: handing out jobs", Layer.merge(MemoryStorage.layer, clock))
AccountJoinStoreSuite.suite("memory: joins of accounts", Layer.merge(MemoryStorage.layer, clock))
BankDataPurgeSuite.suite("memory: what is held of a bank", Layer.merge(MemoryStorage.layer, clock))
RowLevelSecuritySuite.suite("memory: the wall between workspaces", Layer.merge(MemoryStorage.layer, clock))
UpstreamBudgetSuite.suite("memory: budgets of providers", Layer.merge(MemoryStorage.layer, clock))
