/** A runner: one process that runs the jobs of one engine, as told by the benchmark that started it. */
import { join } from "node:path"
import type { Contestant, RunnerPlace } from "./Contestant.ts"
import { now, type Order, type Told } from "./Messages.ts"
import { short } from "./Shape.ts"

const [module = "", place = ""] = process.argv.slice(2)
let shape = short
let dying = false

const tell = (told: Told): void => void process.send!(told)

process.on("message", (order: Order) => {
  if (order.kind === "die") dying = true
  else ({ shape } = order)
})
// Nobody is there to run jobs for.
process.once("disconnect", () => process.exit(1))

const { contestant }: { readonly contestant: Contestant } = await import(join(import.meta.dirname, module))

const stop = await contestant.run(JSON.parse(place) as RunnerPlace, {
  shape: () => shape,
  begun: (job) => tell({ kind: "begun", job, at: now() }),
  fetching: (job, page) => tell({ kind: "fetching", job, page, at: now() }),
  committed: () =>
    dying
      ? new Promise<never>(() => {
          process.send!({ kind: "dying", at: now() } satisfies Told, () => process.kill(process.pid, "SIGKILL"))
        })
      : Promise.resolve(),
  ended: (job, done) => tell({ kind: "ended", job, done, at: now() })
})

process.once("SIGTERM", () => void stop().then(() => process.exit(0)))
tell({ kind: "ready" })
