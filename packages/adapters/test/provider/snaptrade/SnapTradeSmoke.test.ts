import { factory } from "../../../src/provider/snaptrade/SnapTradeProvider.ts"
import { smoke } from "../Smoke.ts"

smoke(factory)
