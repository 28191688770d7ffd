/** The requests of all nouns. */
import type { RequestsOf } from "../Request.ts"
import { accounts } from "./accounts.ts"
import { audit } from "./audit.ts"
import { banks } from "./banks.ts"
import { callbacks } from "./callbacks.ts"
import { corrections } from "./corrections.ts"
import { decisions } from "./decisions.ts"
import { enrichments } from "./enrichments.ts"
import { feeds } from "./feeds.ts"
import { fields } from "./fields.ts"
import { findings } from "./findings.ts"
import { identity } from "./identity.ts"
import { insights } from "./insights.ts"
import { jobs } from "./jobs.ts"
import { joins } from "./joins.ts"
import { previews } from "./previews.ts"
import { records } from "./records.ts"
import { rows } from "./rows.ts"
import { tables } from "./tables.ts"
import { uploads } from "./uploads.ts"
import { values } from "./values.ts"
import { workspaces } from "./workspaces.ts"

export const requests: Readonly<Record<string, RequestsOf>> = {
  identity,
  workspaces,
  audit,
  banks,
  accounts,
  callbacks,
  corrections,
  joins,
  feeds,
  uploads,
  jobs,
  records,
  enrichments,
  findings,
  insights,
  decisions,
  values,
  previews,
  tables,
  fields,
  rows
}
