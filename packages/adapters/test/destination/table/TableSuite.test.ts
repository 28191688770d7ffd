import { tableSuite } from "./TableConformance.ts"
import { arrange } from "./TableWorld.ts"

tableSuite("TableDestination in memory", arrange())
