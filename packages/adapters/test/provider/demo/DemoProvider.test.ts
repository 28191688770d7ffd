import { upstreamSuite } from "@millrace/testing/suite/provider"
import * as Layer from "effect/Layer"
import * as NodeDigest from "../../../src/digest/NodeDigest.ts"
import * as OutboundClient from "../../../src/outbound/OutboundClient.ts"
import { factory } from "../../../src/provider/demo/DemoProvider.ts"
import * as MemoryStorage from "../../../src/storage/memory/MemoryStorage.ts"
import { demoUpstream } from "./DemoUpstream.ts"

const common = {
  factory,
  outbound: OutboundClient.make(),
  from: "2024-12-01",
  storage: Layer.merge(MemoryStorage.layer, NodeDigest.layer)
}

upstreamSuite("The demo bank at retail", {
  ...common,
  fake: demoUpstream({
    institution: "demo-retail",
    openings: { checking: "4210.55", savings: "11800", card: "-1612.40" }
  }),
  who: { institutionId: "demo-retail" },
  dataTypes: ["transactions"]
})
upstreamSuite("The demo bank at the broker", {
  ...common,
  fake: demoUpstream({ institution: "demo-broker", openings: { sweep: "2500", invest: "5000" } }),
  who: { institutionId: "demo-broker" },
  dataTypes: ["transactions", "trades", "holdings", "orders"]
})
upstreamSuite("The demo bank at the lender", {
  ...common,
  fake: demoUpstream({ institution: "demo-lender", openings: { mortgage: "-318450.12", auto: "-31204.77" } }),
  who: { institutionId: "demo-lender" },
  dataTypes: ["transactions", "loans"]
})
upstreamSuite("The demo bank at the wallet", {
  ...common,
  fake: demoUpstream({ institution: "demo-wallet", openings: { yen: "84200", dinar: "412.75", coin: "2.5" } }),
  who: { institutionId: "demo-wallet" },
  dataTypes: ["transactions"]
})
