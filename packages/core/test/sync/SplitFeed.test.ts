/** Feeds that deliver the lines of records, in memory. */
import { MemoryStorage } from "@millrace/adapters/memory"
import { layer } from "@effect/vitest"
import { splitScenes } from "./SplitScenes.ts"
import { worldOver } from "./PushedWorld.ts"
import { writtenFiles } from "./WrittenFiles.ts"

const folder = writtenFiles("lines")

layer(worldOver(MemoryStorage.layer, folder))("a feed of records that fall into lines", (it) => splitScenes(it, folder))
