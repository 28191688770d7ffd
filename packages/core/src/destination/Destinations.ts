/** The destinations that a program can write to. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { DestinationSettings, type DestinationConfig } from "../feed/FeedConfig.ts"
import { decodeBlock } from "../shared/BlockDecoding.ts"
import { byIdentifier } from "../shared/Identifier.ts"
import {
  type ConfigFault,
  DestinationRejected,
  type DestinationDriver,
  type DestinationMethods,
  type DestinationTraits
} from "./Destination.ts"

/** No adapter of that type is here (501 on the wire). */
export class DestinationNotAvailable extends Schema.TaggedError<DestinationNotAvailable>()("DestinationNotAvailable", {
  type: Schema.String
}) {}

/** A driver as the kernel uses it: what it is given are the blocks of feeds. */
export interface Destination extends DestinationTraits, DestinationMethods<DestinationConfig> {
  /** The block of a feed that names this type, if all of it can be read; else every fault with its path in the block. */
  readonly decode: (block: object) => Result.Result<DestinationConfig, ReadonlyArray<ConfigFault>>
}

const faultsText = (faults: ReadonlyArray<ConfigFault>): string =>
  faults.map(({ field, message }) => `destinationConfig.${field} ${message}`).join("; ")

/**
 * Pairs a driver with the blocks of its type. A stored block that the driver cannot read any more, because its
 * configuration has become another one, is a fault when the feed is saved and refuses its runs.
 */
export const destinationOf = (driver: DestinationDriver): Destination => {
  const { capabilities, Config, label, type } = driver

  const read = (block: object) => {
    const { type: _, onRemoved, ...own } = { onRemoved: undefined, ...block } as Readonly<Record<string, unknown>>
    const config = decodeBlock("", Config, own)
    const settings = decodeBlock("", DestinationSettings, onRemoved === undefined ? {} : { onRemoved })
    if (Result.isSuccess(config) && Result.isSuccess(settings)) {
      return Result.succeed({ config: config.success, settings: settings.success })
    }
    return Result.fail(
      [config, settings].flatMap((result): ReadonlyArray<ConfigFault> =>
        Result.isFailure(result) ? result.failure : []
      )
    )
  }

  const readOr = <A>(block: object, faulty: A): Effect.Effect<unknown, A> =>
    Result.match(read(block), {
      onSuccess: ({ config }) => Effect.succeed(config),
      onFailure: () => Effect.fail(faulty)
    })

  return {
    type,
    label,
    capabilities,
    decode: (block) =>
      Result.map(read(block), ({ config, settings }) => {
        // What is stored is JSON: the block as it was sent, with nothing left over.
        const own = Schema.encodeSync(Config)(config) as Schema.JsonObject
        return { ...own, type, ...settings }
      }),
    check: (workspaceId, block, columns, mappingsDefaulted) =>
      Result.match(read(block), {
        onSuccess: ({ config }) => driver.check(workspaceId, config, columns, mappingsDefaulted),
        onFailure: (faults) => Effect.succeed(faults)
      }),
    ...(driver.claim === undefined
      ? {}
      : {
          claim: (workspaceId, block) =>
            Effect.catch(
              Effect.flatMap(readOr(block, undefined), (config) => driver.claim!(workspaceId, config)),
              () => Effect.undefined
            )
        }),
    ...(driver.bind === undefined
      ? {}
      : {
          bind: (workspaceId, block, columns) =>
            Result.match(read(block), {
              onSuccess: ({ config }) => driver.bind!(workspaceId, config, columns),
              onFailure: () => Effect.succeed(new Map())
            })
        }),
    ...(driver.read === undefined
      ? {}
      : {
          read: (feed, block, columns, keys) =>
            Result.match(read(block), {
              onSuccess: ({ config }) => driver.read!(feed, config, columns, keys),
              onFailure: () => Effect.succeed(new Map())
            })
        }),
    ...(driver.edits === undefined
      ? {}
      : {
          edits: (feed, block, columns, page) =>
            Result.match(read(block), {
              onSuccess: ({ config }) => driver.edits!(feed, config, columns, page),
              onFailure: () => Effect.succeed([])
            })
        }),
    open: (feed, block, columns) =>
      Result.match(read(block), {
        onSuccess: ({ config }) => driver.open(feed, config, columns),
        onFailure: (faults) =>
          Effect.fail(new DestinationRejected({ message: `The destination cannot be used: ${faultsText(faults)}.` }))
      })
  }
}

export class Destinations extends Context.Service<
  Destinations,
  {
    readonly all: ReadonlyArray<Destination>
    readonly get: (type: string) => Effect.Effect<Destination, DestinationNotAvailable>
  }
>()("@millrace/core/destination/Destinations") {
  /** Types must be unique identifiers; anything else is a defect. */
  static readonly layer = (drivers: ReadonlyArray<DestinationDriver>): Layer.Layer<Destinations> =>
    Layer.sync(Destinations, () => destinationsOf(drivers.map(destinationOf)))
}

/** The registry of these destinations. */
export const destinationsOf = (all: ReadonlyArray<Destination>): Destinations["Service"] => {
  const byType = byIdentifier("the destination type", all, ({ type }) => type)
  return {
    all,
    get: Effect.fnUntraced(function* (type) {
      const found = byType.get(type)
      if (found === undefined) return yield* new DestinationNotAvailable({ type })
      return found
    })
  }
}
