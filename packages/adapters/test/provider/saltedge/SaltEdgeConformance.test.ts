import { NodeDigest, OutboundClient, privateHosts } from "@millrace/adapters"
import { MemoryStorage } from "@millrace/adapters/memory"
import { upstreamSuite } from "@millrace/testing/suite/provider"
import { fakeSaltEdge } from "@millrace/testing/upstream"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { factory } from "../../../src/provider/saltedge/SaltEdgeProvider.ts"

upstreamSuite("Salt Edge", {
  fake: fakeSaltEdge({ pageRows: 8, copies: 6, rows: 15, days: 18 }),
  factory,
  outbound: OutboundClient.make({ privateHosts: Result.getOrThrow(privateHosts(["127.0.0.1"])) }),
  storage: Layer.merge(MemoryStorage.layer, NodeDigest.layer),
  dataTypes: ["transactions", "loans"]
})
