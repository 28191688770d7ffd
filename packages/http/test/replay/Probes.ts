/** Requests that follow from the document of an operation and from one that succeeds: each is wrong in one thing. */
import { type Documented, namesIn } from "./Operation.ts"
import type { Given } from "./Request.ts"
import type { Scene } from "./Scene.ts"

const zeros = "0".repeat(26)
const largeBytes = 1_048_577

/** An id of the same kind that nothing has. */
const unknownOf = (id: string): string =>
  id.replace(/_[0-9a-z]{26}$/, `_${zeros}`).replace(/^[0-9a-hjkmnp-tv-z]{26}$/, zeros)

const wrongFor = (value: unknown): unknown =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? "wrong" : { wrong: true }

const ofCredentials = (good: Given, scene: Scene): ReadonlyArray<Given> => [
  { ...good, title: "without a credential", anonymous: true },
  {
    ...good,
    title: "with a key of no form",
    anonymous: true,
    headers: { ...good.headers, "x-api-key": "mill_unknown" }
  },
  {
    ...good,
    title: "with an unknown key",
    anonymous: true,
    headers: { ...good.headers, "x-api-key": scene.secrets.owner.replace(/.$/, "z") }
  },
  { ...good, title: "with two credentials", headers: { ...good.headers, authorization: "Bearer person-owner" } },
  { ...good, title: "with an unknown token", as: "person-nobody" },
  { ...good, title: "with a key without scopes", as: "none" },
  { ...good, title: "with a key of a plan without the API", as: "free" }
]

const ofPath = (operation: Documented, good: Given, scene: Scene): ReadonlyArray<Given> =>
  namesIn(operation, "path").flatMap((name) => {
    const value = good.params?.[name] ?? scene.params[name] ?? ""
    const other = unknownOf(value)
    return [
      ...(other === value
        ? []
        : [{ ...good, title: `with a ${name} that nothing has`, params: { ...good.params, [name]: other } }]),
      { ...good, title: `with a ${name} of no form`, params: { ...good.params, [name]: "x y" } }
    ]
  })

const ofQuery = (operation: Documented, good: Given): ReadonlyArray<Given> =>
  namesIn(operation, "query").flatMap((name) => [
    { ...good, title: `with an empty ${name}`, query: `${name}=` },
    { ...good, title: `with a wrong ${name}`, query: `${name}=not%20a%20value` },
    { ...good, title: `with ${name} twice`, query: `${name}=a&${name}=b` }
  ])

const ofHeaders = (operation: Documented, good: Given): ReadonlyArray<Given> =>
  namesIn(operation, "header").flatMap((name): ReadonlyArray<Given> => {
    const headers = (value: string) => ({ ...good.headers, [name.toLowerCase()]: value })
    switch (name) {
      case "If-Match":
        return [
          { ...good, title: "with a version that it no longer has", headers: headers('"999"') },
          { ...good, title: "with a version of no form", headers: headers("x") }
        ]
      case "If-None-Match":
        return [{ ...good, title: "with a version that is newer than what is known", headers: headers('"999"') }]
      case "Idempotency-Key":
        return [
          { ...good, title: "with an empty idempotency key", headers: headers("") },
          { ...good, title: "with an idempotency key that is too long", headers: headers("x".repeat(300)) }
        ]
      default:
        throw new Error(`a header that no request of the replay varies: ${name}`)
    }
  })

const withoutContent = ({ json: _json, raw: _raw, ...given }: Given): Given => given

const ofBody = (operation: Documented, good: Given): ReadonlyArray<Given> => {
  if (operation.body === undefined) return []
  const bare = withoutContent(good)
  const send = (title: string, raw: string, type = "application/json"): Given => ({
    ...bare,
    title,
    raw,
    headers: { ...good.headers, "content-type": type }
  })
  const plain = JSON.stringify(good.json ?? {})
  const general = [
    send("with a body of another type", "a=1", "application/x-www-form-urlencoded"),
    send("with a body in another character set", plain, "application/json; charset=latin1"),
    send("with a body that is too large", `{"name":"${"x".repeat(largeBytes)}"}`)
  ]
  if (operation.body !== "application/json") return general
  const fields = typeof good.json === "object" && good.json !== null ? Object.entries(good.json) : []
  return [
    ...general,
    send("with a body that breaks off", "{"),
    send("with a name twice in the body", '{"a":1,"a":2}'),
    send("with a list for a body", "[]"),
    send("with null for a body", "null"),
    ...fields.flatMap(([name, value]): ReadonlyArray<Given> => [
      {
        ...good,
        title: `with a wrong ${name} in the body`,
        json: { ...(good.json as object), [name]: wrongFor(value) }
      }
    ])
  ]
}

/** Hardly any of them changes what is stored: they are refused, but for those that an operation does not mind. */
export const probesOf = (operation: Documented, good: Given, scene: Scene): ReadonlyArray<Given> => [
  ...ofCredentials(good, scene),
  ...(namesIn(operation, "path").length === 0
    ? []
    : [
        { ...good, title: "with a key of another workspace", as: "stranger" },
        { ...good, title: "with a key of a client portal", as: "portal" }
      ]),
  { ...withoutContent(good), title: "by another method", method: "PATCH" },
  ...ofPath(operation, good, scene),
  ...ofQuery(operation, good),
  ...ofHeaders(operation, good),
  ...ofBody(operation, good)
]
