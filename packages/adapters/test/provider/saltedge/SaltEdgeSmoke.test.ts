import { factory } from "../../../src/provider/saltedge/SaltEdgeProvider.ts"
import { smoke } from "../Smoke.ts"

smoke(factory)
