/** What a demo connection is made of; its reference says it all, so nothing has to be stored. */
import * as Result from "effect/Result"
import * as Base64Url from "effect/encoding/Base64Url"
import { type InstitutionId, institutions } from "./Institutions.ts"
import { largestLedger, type Scenario, scenarios } from "./Scenario.ts"

export interface DemoConnection {
  readonly institution: InstitutionId
  readonly scenario: Scenario
  /** Rows of the first account; only in the scenario `large`. */
  readonly rows: number | undefined
  /** Free text: another text is another person with other data. */
  readonly text: string
  /** Milliseconds; only where the scenario counts from it, so that other references stay the same. */
  readonly connectedAt: number | undefined
}

const longestText = 200
const large = /^large-(\d{1,7})$/

const scenarioOf = (name: string): Pick<DemoConnection, "scenario" | "rows"> | undefined => {
  const match = large.exec(name)
  if (match !== null) {
    const rows = Number(match[1])
    return rows <= largestLedger ? { scenario: "large", rows } : undefined
  }
  return name !== "large" && Object.hasOwn(scenarios, name)
    ? { scenario: name as Scenario, rows: undefined }
    : undefined
}

/**
 * Reads what the person typed: any text, or `demo:<scenario>`, or `demo:<scenario>:<text>`.
 * The answer is a sentence when it cannot be taken.
 */
export const fromInput = (
  input: string,
  institution: InstitutionId,
  now: number
): Result.Result<DemoConnection, string> => {
  if (input.length > longestText || !input.isWellFormed()) {
    return Result.fail(`connectionId must be valid text of at most ${longestText} characters`)
  }
  const scripted = input.startsWith("demo:")
  const colon = scripted ? input.indexOf(":", 5) : -1
  const name = scripted ? input.slice(5, colon < 0 ? undefined : colon) : "normal"
  const found = scenarioOf(name)
  if (found === undefined) {
    const known = Object.keys(scenarios).map((key) => (key === "large" ? "large-<n>" : key))
    return Result.fail(`connectionId names no scenario of the demo provider; there are ${known.join(", ")}`)
  }
  return Result.succeed({
    institution,
    ...found,
    text: scripted ? (colon < 0 ? "" : input.slice(colon + 1)) : input,
    connectedAt: found.scenario === "not-ready" ? now : undefined
  })
}

const nameOf = (connection: DemoConnection): string =>
  connection.scenario === "large" ? `large-${connection.rows ?? 0}` : connection.scenario

export const toRef = (connection: DemoConnection): string =>
  [
    "v1",
    connection.institution,
    nameOf(connection),
    Base64Url.encode(connection.text),
    connection.connectedAt ?? ""
  ].join(".")

/** `undefined` for anything that `toRef` has not written. */
export const fromRef = (ref: string): DemoConnection | undefined => {
  const [version, institution = "", name = "", encoded = "", connected = "", ...rest] = ref.split(".")
  const found = scenarioOf(name)
  const text = Base64Url.decodeString(encoded)
  if (version !== "v1" || found === undefined || !Object.hasOwn(institutions, institution)) return undefined
  if (Result.isFailure(text) || rest.length > 0 || !/^\d{0,15}$/.test(connected)) return undefined
  const connection: DemoConnection = {
    institution: institution as InstitutionId,
    ...found,
    text: text.success,
    connectedAt: connected === "" ? undefined : Number(connected)
  }
  return toRef(connection) === ref && (found.scenario === "not-ready") === (connected !== "") ? connection : undefined
}

/**
 * What the data are drawn from. Scenarios share it, so a connection that is repaired by connecting again
 * without the incident finds the same accounts and rows.
 */
export const worldKey = (seed: string, connection: DemoConnection): string =>
  `${seed}|${connection.institution}|${connection.rows ?? ""}|${connection.text}`
