import { NodeDigest, OutboundClient, privateHosts } from "@millrace/adapters"
import { MemoryStorage } from "@millrace/adapters/memory"
import { upstreamSuite } from "@millrace/testing/suite/provider"
import { startPlaid } from "@millrace/testing/upstream"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { factory } from "../../../src/provider/plaid/PlaidProvider.ts"

upstreamSuite("Plaid", {
  fake: startPlaid({ rows: 20, days: 60 }),
  factory,
  outbound: OutboundClient.make({ privateHosts: Result.getOrThrow(privateHosts(["127.0.0.1"])) }),
  storage: Layer.merge(MemoryStorage.layer, NodeDigest.layer),
  dataTypes: ["transactions", "trades", "holdings", "loans"],
  exchangesOnce: true
})
