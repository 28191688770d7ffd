import * as MemoryRateLimiter from "../../src/rate/MemoryRateLimiter.ts"
import { RateLimiterSuite } from "@millrace/testing/suite/rate"
import { StoreClock } from "@millrace/testing/suite/storage"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"

const clock = Layer.succeed(StoreClock, { pass: (seconds) => TestClock.adjust(seconds * 1000) })

RateLimiterSuite.suite("memory", Layer.merge(MemoryRateLimiter.layer, clock))
