import { NodeDigest } from "@millrace/adapters"
import { MemoryStorage } from "@millrace/adapters/memory"
import { upstreamSuite } from "@millrace/testing/suite/provider"
import * as Layer from "effect/Layer"
import { outbound } from "../LocalUpstream.ts"
import { fakeRotatingList, rotatingList } from "./RotatingList.ts"

upstreamSuite("a provider whose secrets rotate", {
  fake: fakeRotatingList,
  factory: rotatingList,
  outbound,
  storage: Layer.merge(MemoryStorage.layer, NodeDigest.layer),
  dataTypes: ["transactions"],
  moves: [
    ["posted", 6],
    ["edited", 3],
    ["removed", 1],
    ["backdated", 2]
  ]
})
