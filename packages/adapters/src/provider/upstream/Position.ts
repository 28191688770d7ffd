/** Places within a run: text that says what it is a place of, and that is refused where it is of something else. */
import { MutationDuringPagination } from "@millrace/core/provider"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaParser from "effect/SchemaParser"
import { readToken, writeToken } from "./OpaqueToken.ts"

export interface Position<A> {
  /** `about`: the connection, and what of it is read. */
  readonly write: (about: ReadonlyArray<string>, place: A) => string
  readonly read: (about: ReadonlyArray<string>, text: string) => Effect.Effect<A, MutationDuringPagination>
}

export const position = <A>(schema: Schema.Codec<A, unknown>): Position<A> => {
  const codec = Schema.fromJsonString(schema)
  const encode = SchemaParser.encodeSync(codec)
  const decode = SchemaParser.decodeUnknownResult(codec)
  return {
    write: (about, place) => writeToken("p", about, encode(place)),
    read: (about, text) =>
      Effect.suspend(() => {
        const place = decode(readToken("p", about, text))
        return Result.isSuccess(place)
          ? Effect.succeed(place.success)
          : Effect.fail(new MutationDuringPagination({ message: "The position is not one of this run" }))
      })
  }
}
