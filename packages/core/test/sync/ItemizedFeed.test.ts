/** Feeds that deliver a row for each item, in memory. */
import { MemoryStorage } from "@millrace/adapters/memory"
import { layer } from "@effect/vitest"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll } from "vitest"
import { itemizedScenes } from "./ItemizedScenes.ts"
import { worldOver } from "./PushedWorld.ts"

const folder = mkdtempSync(join(tmpdir(), "millrace-items-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

layer(worldOver(MemoryStorage.layer, folder))("a feed of receipts with items", (it) => itemizedScenes(it, folder))
