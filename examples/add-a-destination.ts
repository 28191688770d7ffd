/**
 * A destination of your own, over HTTP: one file. It keeps rows by their key, so writing a row again overwrites it.
 *
 * Its default export is an extension, so the bundled server has it by a line in its configuration file,
 * `"modules": ["./add-a-destination.ts"]`; feeds then give `{ "type": "row_store", "url": "https://..." }` as their
 * `destinationConfig`. A program that embeds the kernel gives it to `Adapters.layer({ destinations: [rowStore] })`. What a
 * destination must promise is in `@millrace/core/destination`; the suite in
 * `@millrace/testing/suite/destination` checks it, and `test/add-a-destination.test.ts` runs it against this one.
 */
import {
  type DestinationDriver,
  type DestinationError,
  DestinationRejected,
  DestinationUnavailable,
  type Outgoing
} from "@millrace/core/destination"
import { extension } from "@millrace/core/extension"
import { Outbound } from "@millrace/core/outbound"
import { readJson } from "@millrace/core/provider"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

/** The keys of `destinationConfig` besides `type` and `onRemoved`, which every destination has. */
const Config = Schema.Struct({
  url: Schema.String.check(Schema.isPattern(/^https?:\/\/[^\s@]+$/, { message: "must be a URL" }))
})

/** What the row store says of each row: `gone` for an update of one that somebody deleted there. */
const Written = Schema.Array(
  Schema.Struct({ key: Schema.String, outcome: Schema.Literals(["kept", "gone", "refused"]) })
)
const Found = Schema.Array(Schema.String)

const onlyRows = Effect.fail(new DestinationRejected({ message: "Rows are written one by one here." }))

const makeDriver = (outbound: Outbound["Service"]): DestinationDriver<typeof Config.Type> => {
  /** A failure that may pass is `DestinationUnavailable`: what was not sent waits for the next run. */
  const ask = Effect.fnUntraced(function* <A>(
    url: string,
    schema: Schema.Codec<A, unknown>,
    body: unknown
  ): Effect.fn.Return<A, DestinationError> {
    const answer = yield* outbound
      .request({ url, method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) })
      .pipe(
        Effect.mapError(({ message, reason }) =>
          reason === "addressRefused" || reason === "invalidRequest"
            ? new DestinationRejected({ message })
            : new DestinationUnavailable({ message })
        )
      )
    if (answer.status >= 500 || answer.status === 429) {
      return yield* new DestinationUnavailable({ message: `The row store answered ${answer.status}` })
    }
    const read = readJson("The row store", schema, answer)
    if (answer.status !== 200 || Result.isFailure(read)) {
      return yield* new DestinationRejected({ message: `The row store answered ${answer.status}, and not as agreed` })
    }
    return read.success
  })

  return {
    type: "row_store",
    label: "Row store",
    Config,
    capabilities: { write: "upsertByKey", canRemove: true, batch: 100 },
    // Whether it can be reached is found out by the first run: a feed may be saved while it is away.
    check: () => Effect.succeed([]),
    open: (_feed, { url }) =>
      Effect.succeed({
        write: Effect.fnUntraced(function* (batch: ReadonlyArray<Outgoing>) {
          if (batch.length === 0) return []
          const rows = batch.map(({ key, op, values }) => ({ key, op, values }))
          return (yield* ask(`${url}/write`, Written, rows)).map(({ key, outcome }) =>
            outcome === "kept"
              ? ({ key, outcome: "done", remoteRef: key } as const)
              : outcome === "gone"
                ? ({ key, outcome: "skipped" } as const)
                : ({ key, outcome: "failed", reason: "The row store refused it" } as const)
          )
        }),
        lookup: (keys) =>
          Effect.map(ask(`${url}/lookup`, Found, keys), (found) => new Map(found.map((key) => [key, key]))),
        replace: () => onlyRows,
        standing: () => onlyRows
      })
  }
}

/** The making of the driver: it asks outside through the one client. */
export const rowStore: Effect.Effect<DestinationDriver, never, Outbound> = Effect.map(Outbound, makeDriver)

export default extension({ destinations: [rowStore] })
