/** Who may ask for an operation: what each key, person and app is answered before anything is looked at. */
import { operations as catalogue, type Operation, type Scope, scopesOf } from "@millrace/core/access"
import { type Documented, type Params, pathOf } from "./Operation.ts"
import { roles } from "./People.ts"
import type { Home } from "./Home.ts"
import type { Answer, World } from "./World.ts"

const zeros = "0".repeat(26)

/** Ids that nothing has, so that whoever may ask finds nothing. */
const nothing: Params = new Proxy<Record<string, string>>(
  {},
  { get: (_, name) => `${String(name)}_${zeros}`.slice(0, 60) }
)

/** A body that is read only for those who may ask, and then refused. */
const broken = "{"

const codeOf = ({ status, text }: Answer): string => {
  const code = /"code":"(\w+)"/.exec(text)?.[1]
  return code === undefined ? String(status) : `${status} ${code}`
}

/** Scopes that some operation needs, and one that none does. */
const usedScopes = (): ReadonlyArray<Scope> => {
  const used = Object.values<Operation>(catalogue).flatMap(({ scopes }) => scopesOf(scopes))
  return [...new Set<Scope>([...used, "dashboards:read"])].toSorted()
}

type Credential = readonly [name: string, headers: Readonly<Record<string, string>>]

const credentialsOf = ({ secrets, single }: Home): ReadonlyArray<Credential> => [
  ["no credential", {}],
  ...Object.entries(secrets).map(([name, secret]): Credential => [`key ${name}`, { "x-api-key": secret }]),
  ...usedScopes().map((scope): Credential => [scope, { "x-api-key": single[scope]! }]),
  ...["person", "app", "ours"].flatMap((kind) =>
    roles.map((role): Credential => [`${kind} ${role}`, { authorization: `Bearer ${kind}-${role}` }])
  )
]

/** For each answer who gets it. */
export const accessOf = async (
  world: World,
  home: Home,
  operation: Documented
): Promise<Readonly<Record<string, string>>> => {
  const answers = new Map<string, Array<string>>()
  for (const [name, credential] of credentialsOf(home)) {
    const answer = await world.send({
      method: operation.method,
      path: pathOf(operation.path, nothing),
      headers: { ...credential, ...(operation.body === undefined ? {} : { "content-type": operation.body }) },
      ...(operation.body === undefined ? {} : { body: broken })
    })
    const code = codeOf(answer)
    answers.set(code, [...(answers.get(code) ?? []), name])
  }
  return Object.fromEntries(
    [...answers].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([code, names]) => [code, names.join(", ")])
  )
}
