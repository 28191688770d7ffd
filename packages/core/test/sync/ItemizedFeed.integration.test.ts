/** Feeds that deliver a row for each item, on PostgreSQL. */
import { layer } from "@effect/vitest"
import { itemizedScenes } from "./ItemizedScenes.ts"
import { storage } from "./PushedPostgres.ts"
import { worldOver } from "./PushedWorld.ts"
import { writtenFiles } from "./WrittenFiles.ts"

const folder = writtenFiles("items")

layer(worldOver(storage, folder), { excludeTestServices: true, timeout: "60 seconds" })(
  "a feed of receipts with items",
  (it) => itemizedScenes(it, folder)
)
