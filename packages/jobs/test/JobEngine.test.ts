import { layer as storage } from "@millrace/adapters/storage/memory/MemoryStorage"
import { suite } from "@millrace/testing/suite/JobEngineSuite"
import { layerCluster } from "../src/ClusterEngine.ts"
import { layerMemory } from "../src/MemoryEngine.ts"

suite("the engine of one process in memory", storage, (slots) => layerMemory({ slots }))
suite("the engine of a cluster in memory", storage, (slots) => layerCluster({ slots }))
