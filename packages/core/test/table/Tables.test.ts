import { layer } from "@effect/vitest"
import { pageTests } from "./PageTests.ts"
import { rowTests } from "./RowTests.ts"
import { tableTests } from "./TableTests.ts"
import { memoryWorld } from "./TableWorld.ts"

layer(memoryWorld)("tables in memory", tableTests)
layer(memoryWorld)("rows in memory", rowTests)
layer(memoryWorld)("pages of rows in memory", pageTests)
