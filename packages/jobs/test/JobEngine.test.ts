import { MemoryStorage } from "@millrace/adapters/memory"
import { JobEngineSuite } from "@millrace/testing/suite/job"
import { layerCluster } from "../src/ClusterEngine.ts"
import { layerMemory } from "../src/MemoryEngine.ts"

const { layer: storage } = MemoryStorage

JobEngineSuite.suite("the engine of one process in memory", storage, (slots) => layerMemory({ slots }))
JobEngineSuite.suite("the engine of a cluster in memory", storage, (slots) => layerCluster({ slots }))
