/** Memories that learn from the tables of feeds, in memory. */
import { MemoryStorage } from "@millrace/adapters/memory"
import { layer } from "@effect/vitest"
import { learnScenes } from "./LearnScenes.ts"
import { worldOver } from "./PushedWorld.ts"

layer(worldOver(MemoryStorage.layer))("a feed with a memory", learnScenes)
