/** YAML with exact numbers. Loaded only when it is asked for. */
import { type ScalarTag, stringify } from "yaml"
import { isNumber, type ExactNumber, type Json } from "./ExactJson.ts"
import { cleanLines } from "./Clean.ts"

const exactNumber: ScalarTag = {
  tag: "tag:yaml.org,2002:float",
  default: true,
  identify: (value) => isNumber(value as Json),
  resolve: (text) => text,
  stringify: ({ value }) => (value as ExactNumber).rawJSON
}

export const write = (value: Json): string =>
  cleanLines(
    stringify(value, { customTags: (tags) => [exactNumber, ...tags], aliasDuplicateObjects: false, lineWidth: 0 })
  )
