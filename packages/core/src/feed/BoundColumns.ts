/** What the names in the mappings of a feed mean. */

/** Name of a column, as a mapping has it -> id of the column that is meant. */
export type BoundColumns = ReadonlyMap<string, string>
