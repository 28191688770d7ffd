/** What the OpenAPI document says of parameters (decisions 1.6 to 1.10 and 5). */
import { limits, type PageSize } from "@millrace/core"
import { nodeOf, omit, type Node } from "./Node.ts"

const headerNames: Readonly<Record<string, string>> = { "if-match": "If-Match", "if-none-match": "If-None-Match" }

const pageSizes: Readonly<Record<string, PageSize>> = {
  listTransactions: limits.transactionsPage,
  listTrades: limits.tradesPage,
  listJobs: limits.jobsPage
}

/** Parameters whose text stands for a number. */
const decimals: ReadonlySet<string> = new Set(["minAmount", "maxAmount"])

const isFlag = ({ enum: values }: Node): boolean =>
  Array.isArray(values) && values.length === 2 && values.includes("true") && values.includes("false")

/** What the text of a query parameter stands for, where that is not the text. */
const standsFor = (name: string, schema: Node): Node | undefined =>
  isFlag(schema) ? { type: "boolean" } : decimals.has(name) ? { type: "number" } : undefined

const idDescription = (what: string): string => `Id of the ${what}.`

/** Descriptions of parameters whose definitions have none. */
const descriptions: Readonly<Record<string, string>> = {
  workspace_id: "Id of the workspace of the credential; any other one is not found.",
  bank_id: idDescription("bank connection"),
  account_id: idDescription("account"),
  transaction_id: idDescription("transaction"),
  match_id: idDescription("match"),
  suggestion_id: idDescription("suggestion"),
  feed_id: idDescription("feed"),
  enrichment_id: idDescription("enrichment"),
  finding_id: idDescription("finding"),
  series_id: idDescription("series of payments"),
  decision_id: idDescription("decision"),
  record_id: "Id of the record, of whatever type of data it is.",
  data_type: "Name of the data type, such as `receipts`.",
  job_id: idDescription("job"),
  upload_id: idDescription("uploaded file"),
  page_id: idDescription("address of an upload page"),
  table_id: idDescription("table"),
  field_id: idDescription("field"),
  row_id: idDescription("row"),
  scope: "`family` lists those of all live portals of the workspace as well.",
  deleted: "Lists bank connections that were deleted and not yet purged, instead of the others.",
  pending: "Only pending transactions, or only posted ones.",
  type: "Only those of this type.",
  category: "Only this category.",
  q: "Text that the description or the merchant contains, without regard to case.",
  minAmount: "Least amount, inclusive, with its sign.",
  maxAmount: "Greatest amount, inclusive, with its sign.",
  cached: "Answers from stored data alone; upstream is not asked.",
  recordId: "Only what concerns this record.",
  dataType: "Only those of this data type.",
  source: "Only feeds of this source.",
  status: "Only those in this status.",
  verdict: "Only rows that wait, or only those that are dropped.",
  kind: "Only those of this kind.",
  actor: "Only what this person, key, app, automation or feed did, by id; of the system by its reason.",
  operationId: "Only what this operation did.",
  resourceId: "Only what was done to this resource.",
  outcome: "Only what ended so: done, refused to the caller, or failed.",
  state: "Only those in this state.",
  folderId: "Only those in this folder.",
  sort: `At most ${limits.rowSortFields} keys of fields, separated by commas; \`-\` before one to descend.`,
  fields: "Keys of the only cells to answer, separated by commas.",
  filter: `A filter (FilterNode) as JSON text, at most ${limits.filterParameterBytes} bytes. Longer ones can be posted.`,
  feedId: "Only those that apply to this feed.",
  enabled: "Only those that are switched on, or only those that are not.",
  apply:
    "How far the removal reaches back. `from_now`, unless given: new and changed records, and with the next run those of the " +
    "last 45 days. `history`: all records that feeds have delivered.",
  trashed: "Those in the trash instead.",
  permanent: "Deletes permanently what is in the trash.",
  "If-Match": "The version that was read, as `ETag` had it. A record that has changed since is left alone (412).",
  "If-None-Match": "A version that is known, as `ETag` had it. Where it is still the present one the answer is 304."
}

const pageSize = (operationId: string): { readonly schema: Node; readonly description: string } => {
  const size = pageSizes[operationId] ?? limits.page
  return {
    schema: { type: "integer", minimum: 1, maximum: size.max, default: size.default },
    description: `Rows of one page: ${size.default} unless given. More than ${size.max} is taken for ${size.max}.`
  }
}

const described = (name: string, given: Node): Node => {
  const { schema } = given
  const own = nodeOf(schema)["description"]
  const description =
    (typeof own === "string" ? own : undefined) ??
    descriptions[name] ??
    (given["in"] === "path"
      ? idDescription(name.replace(/_id$/, "").replaceAll("_", " "))
      : `Only those whose \`${name}\` is this.`)
  return { ...given, description, schema: omit(nodeOf(schema), "description") }
}

/** The header of operations that honour it. */
export const idempotencyKey: Node = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  schema: { type: "string", minLength: 1, maxLength: limits.idempotencyKeyLength, pattern: "^[ -~]+$" },
  description:
    `A text of your own, such as a UUID. For ${limits.idempotencyHours} hours a repeated request with the same key gets the ` +
    "first answer, and nothing is done twice. While there is no answer yet it is 409 `IDEMPOTENCY_IN_PROGRESS`; the key with " +
    "another request is 422 `IDEMPOTENCY_KEY_REUSED`."
}

/** A parameter as it is documented. */
export const parameterOf = (operationId: string, value: unknown): Node => {
  const given = nodeOf(value)
  const name = headerNames[String(given["name"])] ?? String(given["name"])
  const parameter = described(name, { ...given, name })
  if (given["in"] !== "query") return parameter
  if (name === "limit") return { ...parameter, ...pageSize(operationId) }
  // Described by its content, generators make code that fails: it is text, whose form the description tells.
  if (name === "filter") return { ...parameter, schema: { type: "string" } }
  const schema = standsFor(name, nodeOf(parameter["schema"]))
  return schema === undefined ? parameter : { ...parameter, schema }
}
