/** Feeds that deliver the lines of records, on PostgreSQL. */
import { layer } from "@effect/vitest"
import { splitScenes } from "./SplitScenes.ts"
import { storage } from "./PushedPostgres.ts"
import { worldOver } from "./PushedWorld.ts"
import { writtenFiles } from "./WrittenFiles.ts"

const folder = writtenFiles("lines")

layer(worldOver(storage, folder), { excludeTestServices: true, timeout: "60 seconds" })(
  "a feed of records that fall into lines",
  (it) => splitScenes(it, folder)
)
