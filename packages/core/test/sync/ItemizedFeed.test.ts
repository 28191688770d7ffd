/** Feeds that deliver a row for each item, in memory. */
import { MemoryStorage } from "@millrace/adapters/memory"
import { layer } from "@effect/vitest"
import { itemizedScenes } from "./ItemizedScenes.ts"
import { worldOver } from "./PushedWorld.ts"
import { writtenFiles } from "./WrittenFiles.ts"

const folder = writtenFiles("items")

layer(worldOver(MemoryStorage.layer, folder))("a feed of receipts with items", (it) => itemizedScenes(it, folder))
