/** Starts a PostgreSQL server and the bundled server with its own, says so, and waits for ever. */
import { mkdtemp } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { startPostgres } from "../../src/postgres/PostgresServer.ts"
import { startServer } from "../../src/process/ServerProcess.ts"

await startPostgres({ durable: false })
const folder = await mkdtemp(join(tmpdir(), "millrace-orphan-"))
const server = await startServer({ environment: { MILLRACE_DATA: folder, MILLRACE_DEMO: "false" } })
await server.line(/Serving/, 600_000)
process.stdout.write(`${JSON.stringify({ server: server.pid, folder })}\n`)
await new Promise(() => {})
