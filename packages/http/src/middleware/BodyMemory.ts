/** A bound on the memory that the bodies of all requests under way take together. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Semaphore from "effect/Semaphore"
import { refuse, type Refused } from "../answer/Refused.ts"
import { busy } from "@millrace/core/operation"

/** Bytes for the bodies of all requests under way. */
export const BodyMemoryBytes = Context.Reference<number>("@millrace/http/middleware/BodyMemoryBytes", {
  defaultValue: () => 201_326_592
})

/** How long a request waits for others to be done with theirs. */
const patience = "5 seconds"

const unit = 1_024

export interface BodyMemory {
  /** Takes room for a body of so many bytes; 503 where there is none in time. Returns how much to give back. */
  readonly take: (bytes: number) => Effect.Effect<number, Refused>
  readonly release: (taken: number) => Effect.Effect<void>
}

export const make = (bytes: number): BodyMemory => {
  const units = Math.max(1, Math.floor(bytes / unit))
  const room = Semaphore.makeUnsafe(units)
  return {
    // A body that is larger than all the room has it to itself.
    take: Effect.fnUntraced(function* (asked: number) {
      const wanted = Math.min(units, Math.ceil(asked / unit))
      const taken = yield* Effect.timeoutOption(room.take(wanted), patience)
      return Option.isSome(taken) ? wanted : yield* refuse(busy)
    }),
    release: (taken) => Effect.asVoid(room.release(taken))
  }
}
