/** How data is written. */
export const formats = ["table", "json", "ndjson", "csv", "yaml", "toon"] as const
export type Format = (typeof formats)[number]
