/** How the command of an operation differs from what follows from its definition: names of options, columns, examples, notes. */
import type { JsonObject } from "../output/ExactJson.ts"
import type { Columns } from "../program/Output.ts"

export interface OptionPresentation {
  /** The name of the option; the name of the field unless given. */
  readonly option?: string
  /** What stands for the value in help, such as `<date>`. */
  readonly metavar?: string
  readonly description?: string
  /** Values that the API knows and refuses: they are not offered. */
  readonly without?: ReadonlyArray<string>
  /** An empty text is sent as null. */
  readonly clears?: boolean
  /** May be given several times; the values are joined by commas. */
  readonly repeats?: boolean
  /** An argument instead of an option: the id of this thing. */
  readonly argument?: string
  /** There is no such option. */
  readonly hidden?: boolean
}

export interface Presentation {
  readonly description?: string
  /** The description in a list of commands. */
  readonly short?: string
  readonly examples?: ReadonlyArray<{ readonly command: string; readonly description?: string }>
  /** Columns of a table. */
  readonly columns?: Columns
  /** What a list is of, in the plural. */
  readonly noun?: string
  /** By the name of the field; a text is its description. */
  readonly options?: Readonly<Record<string, string | OptionPresentation>>
  /** A body that options and the file go over. */
  readonly body?: JsonObject
  /** What a demanded version is of; what the last id of the path names unless given. */
  readonly versionOf?: string
  /** The note after an answer without data; `{id}` is the last id of the path. */
  readonly note?: string
}

export interface GroupPresentation {
  readonly description?: string
  readonly short?: string
  /** Commands that come first, in this order. */
  readonly order?: ReadonlyArray<string>
  /** Ids that are options of all commands below: `account_id` is `--account`. */
  readonly idOptions?: ReadonlyArray<string>
}
