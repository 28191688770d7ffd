/** Memories that learn from the tables of feeds, on PostgreSQL. */
import { layer } from "@effect/vitest"
import { learnScenes } from "./LearnScenes.ts"
import { storage } from "./PushedPostgres.ts"
import { worldOver } from "./PushedWorld.ts"

layer(worldOver(storage), { excludeTestServices: true, timeout: "60 seconds" })("a feed with a memory", learnScenes)
