import { NodeDigest, OutboundClient, privateHosts } from "@millrace/adapters"
import { MemoryStorage } from "@millrace/adapters/memory"
import { upstreamSuite } from "@millrace/testing/suite/provider"
import { fakeFiskil } from "@millrace/testing/upstream"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { factory } from "../../../src/provider/fiskil/FiskilProvider.ts"

upstreamSuite("Fiskil", {
  fake: fakeFiskil({ pageRows: 8, rows: 12, days: 18 }),
  factory,
  outbound: OutboundClient.make({ privateHosts: Result.getOrThrow(privateHosts(["127.0.0.1"])) }),
  storage: Layer.merge(MemoryStorage.layer, NodeDigest.layer),
  dataTypes: ["transactions"],
  moves: [
    ["posted", 6],
    ["authorized", 5],
    ["edited", 3],
    ["settled", 4],
    ["settledUnlinked", 1],
    ["released", 1],
    ["removed", 1],
    ["backdated", 2]
  ]
})
