import * as MemoryRateLimiter from "@millrace/adapters/rate/MemoryRateLimiter"
import * as RateLimiterSuite from "@millrace/testing/suite/RateLimiterSuite"
import { StoreClock } from "@millrace/testing/suite/StorageTests"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"

const clock = Layer.succeed(StoreClock, { pass: (seconds) => TestClock.adjust(seconds * 1000) })

RateLimiterSuite.suite("memory", Layer.merge(MemoryRateLimiter.layer, clock))
