/** Operations as data: what a command needs to know of each. Generated for the bundled ones, and read from a server's document. */
import type { HttpMethod } from "effect/http/HttpMethod"

/** A parameter, or a field of a body that an option can say. */
export interface DerivedField {
  readonly name: string
  readonly type: "text" | "integer" | "number" | "boolean" | "texts"
  /** The only values, where there are not others. */
  readonly choices?: ReadonlyArray<string>
  /** The least whole number. */
  readonly minimum?: number
  readonly description: string
}

export interface DerivedOperation {
  /** The operationId of the API. */
  readonly id: string
  /** The words behind `millrace`. */
  readonly command: string
  readonly summary: string
  readonly method: HttpMethod
  /** From the root of the server, with ids in braces: `/v1/notes/{note_id}`. */
  readonly path: string
  readonly query: ReadonlyArray<DerivedField>
  /** Fields of the body that an option can say; the rest comes from a file. Absent where there is no body. */
  readonly body?: ReadonlyArray<DerivedField>
  /** Names of the prepared bodies that `--starter` takes; files and options go over them. */
  readonly starters?: ReadonlyArray<string>
  /** Whether a version can be demanded. */
  readonly conditional: boolean
  readonly answers: "list" | "record" | "nothing"
}

/** Operations whose commands begin with one word. */
export interface Group {
  /** The word. */
  readonly name: string
  readonly description: string
  readonly operations: ReadonlyArray<DerivedOperation>
}
