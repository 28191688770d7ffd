/**
 * Ends with 1 where a merge left its marks in a file: the compiler finds them in code, and nothing else finds them in
 * documents, migrations of text and settings.
 */
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"

const root = join(import.meta.dirname, "..")
const files = globSync(["*.*", ".ci/*", "{packages,docs,bench,examples,scripts}/**/*.*"], {
  cwd: root,
  exclude: ({ name }) => ["node_modules", "dist", "results"].includes(name),
  withFileTypes: true
}).filter((entry) => entry.isFile())

const marked = files.flatMap(({ name, parentPath }) => {
  const path = join(parentPath, name)
  return readFileSync(path, "latin1")
    .split("\n")
    .flatMap((line, n) => (/^(?:<{7}|>{7}) /.test(line) ? [`${path.slice(root.length + 1)}:${n + 1}`] : []))
})
if (marked.length > 0) {
  process.stderr.write(`A merge left its marks here: ${marked.join(", ")}\n`)
  process.exitCode = 1
}
