import { NodeDigest, OutboundClient, privateHosts } from "@millrace/adapters"
import { MemoryStorage } from "@millrace/adapters/memory"
import { upstreamSuite } from "@millrace/testing/suite/provider"
import { fakeSnapTrade } from "@millrace/testing/upstream"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { factory } from "../../../src/provider/snaptrade/SnapTradeProvider.ts"

upstreamSuite("SnapTrade", {
  fake: fakeSnapTrade({ pageRows: 7, rows: 10, days: 18 }),
  factory,
  outbound: OutboundClient.make({ privateHosts: Result.getOrThrow(privateHosts(["127.0.0.1"])) }),
  storage: Layer.merge(MemoryStorage.layer, NodeDigest.layer),
  dataTypes: ["transactions", "trades", "holdings", "orders"],
  // There are no pending rows.
  moves: [
    ["posted", 6],
    ["edited", 3],
    ["removed", 1],
    ["backdated", 2]
  ]
})
