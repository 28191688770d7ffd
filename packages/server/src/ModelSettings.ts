/** The endpoints of models in the configuration file. */
import type { ModelEndpoint } from "@millrace/adapters/model"
import type { PrivateHosts } from "@millrace/adapters"
import { Id } from "@millrace/core"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"

const names = /^[a-z][a-z0-9_-]{0,63}$/
const reserved: ReadonlySet<string> = new Set(["local", "default"])

const Tokens = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000_000_000 }))

export const ModelSettings = Schema.Struct({
  /** How configurations of enrichments name it; the first endpoint that a workspace may ask is also its `default`. */
  name: Schema.String.check(
    Schema.makeFilter((name) =>
      names.test(name) && !reserved.has(name)
        ? undefined
        : "must be 1 to 64 small letters, digits, - and _, a letter first, and neither local nor default"
    )
  ),
  baseUrl: Schema.String.check(Schema.isMaxLength(2_000)),
  model: Schema.String.check(Schema.isBetweenLength(1, 200)),
  /** The name of the environment variable with the key. */
  apiKey: Schema.optionalKey(Schema.Struct({ env: Schema.String })),
  /** Ids of the workspaces that may ask it; all of them unless given. */
  workspaces: Schema.optionalKey(Schema.NonEmptyArray(Id("workspace"))),
  /** Most tokens of a month (UTC), whatever the enrichments of workspaces allow themselves. */
  monthlyTokens: Schema.optionalKey(
    Schema.Struct({ perWorkspace: Schema.optionalKey(Tokens), total: Schema.optionalKey(Tokens) })
  ),
  tokensField: Schema.optionalKey(Schema.Literals(["max_tokens", "max_completion_tokens"])),
  temperature: Schema.optionalKey(Schema.NullOr(Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 2 }))))
})
export type ModelSettings = typeof ModelSettings.Type

/** What is wrong with the URL of an endpoint; `undefined` where it can be asked. */
const urlFault = (baseUrl: string, hosts: PrivateHosts): string | undefined => {
  const url = URL.parse(baseUrl)
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:")) {
    return "must be a URL, such as https://api.openai.com/v1 or http://127.0.0.1:11434/v1"
  }
  if (url.username !== "" || url.password !== "") return "must hold no user or password: give the key as apiKey"
  const port = url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port)
  return url.protocol === "http:" && !hosts.has(url.hostname.replace(/^\[(.*)\]$/u, "$1"), port)
    ? `begins with http: and is asked only where the file names its host: "privateHosts": { "models": ["${url.host}"] }`
    : undefined
}

/** The endpoints, with what is wrong with them: `keys` are what the variables hold, in the same order. */
export const modelEndpoints = (
  models: ReadonlyArray<ModelSettings>,
  keys: ReadonlyArray<unknown>,
  hosts: PrivateHosts,
  faults: Array<string>
): ReadonlyArray<ModelEndpoint> =>
  models.map(({ apiKey: _named, ...endpoint }, at) => {
    const fault = urlFault(endpoint.baseUrl, hosts)
    if (fault !== undefined) faults.push(`models[${at}].baseUrl ${fault}`)
    if (models.findIndex(({ name }) => name === endpoint.name) < at) {
      faults.push(`models[${at}].name "${endpoint.name}" is the name of two endpoints`)
    }
    const key = keys[at]
    return Redacted.isRedacted(key) ? { ...endpoint, apiKey: Redacted.make(String(Redacted.value(key))) } : endpoint
  })
