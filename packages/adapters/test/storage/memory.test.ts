import * as MemoryStorage from "@millrace/adapters/storage/memory/MemoryStorage"
import * as StorageSuite from "@millrace/testing/suite/StorageSuite"
import { StoreClock } from "@millrace/testing/suite/StorageTests"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"

const clock = Layer.succeed(StoreClock, { pass: (seconds) => TestClock.adjust(seconds * 1000) })

StorageSuite.suite("memory", Layer.merge(MemoryStorage.layer, clock))
