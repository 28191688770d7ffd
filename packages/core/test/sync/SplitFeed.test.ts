/** Feeds that deliver the lines of records, in memory. */
import { MemoryStorage } from "@millrace/adapters/memory"
import { layer } from "@effect/vitest"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll } from "vitest"
import { worldOver } from "./PushedWorld.ts"
import { splitScenes } from "./SplitScenes.ts"

const folder = mkdtempSync(join(tmpdir(), "millrace-lines-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

layer(worldOver(MemoryStorage.layer, folder))("a feed of records that fall into lines", (it) => splitScenes(it, folder))
